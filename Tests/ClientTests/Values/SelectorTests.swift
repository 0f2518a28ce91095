import BelfryClient
import Foundation
import Testing
import UIKit

/// Tests of methods that are specified with `Selector(…)` instead of `#selector(…)`.
@MainActor @Suite struct SelectorTests {
  private final class Observer: NSObject {
    var calls: [String] = []

    func plain() { calls.append("plain") }
    func handle(_ notification: Notification) { calls.append(notification.name.rawValue) }
    func tick(_ timer: Timer) { calls.append("tick") }

    func observe(_ name: Notification.Name) {
      NotificationCenter.default.addObserver(
        self, selector: Selector(Observer.handle(_:)), name: name, object: nil)
      NotificationCenter.default.addObserver(
        self, selector: Selector(Observer.plain), name: name, object: nil)
    }
  }

  private final class Page: UIViewController {
    var calls: [String] = []

    func tapped(_ sender: UIButton) { calls.append("tapped \(sender.tag)") }
    func changed() { calls.append("changed") }
  }

  @Test func `An observer's methods are called for notifications, until it is removed or gone`() {
    let name = Notification.Name("SelectorTests")
    var observer: Observer? = Observer()
    observer?.observe(name)
    NotificationCenter.default.post(name: name, object: nil)
    #expect(observer?.calls.sorted() == ["SelectorTests", "plain"])
    NotificationCenter.default.removeObserver(observer!, name: name, object: nil)
    NotificationCenter.default.post(name: name, object: nil)
    #expect(observer?.calls.count == 2)
    observer?.observe(name)
    NotificationCenter.default.removeObserver(observer!)
    NotificationCenter.default.post(name: name, object: nil)
    #expect(observer?.calls.count == 2)
    observer?.observe(name)
    weak let gone = observer
    observer = nil
    #expect(gone == nil)
    NotificationCenter.default.post(name: name, object: nil)
  }

  @Test func `A token of Foundation's own is still removed`() {
    let name = Notification.Name("SelectorTests.token")
    nonisolated(unsafe) var count = 0
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      _ in
      count += 1
    }
    NotificationCenter.default.post(name: name, object: nil)
    NotificationCenter.default.removeObserver(token)
    NotificationCenter.default.post(name: name, object: nil)
    #expect(count == 1)
  }

  @Test func `Controls and bar buttons call their target, with the sender where it is wanted`() {
    let observer = Page()
    let button = UIButton(type: .system)
    button.tag = 7
    button.addTarget(observer, action: Selector(Page.tapped(_:)), for: .touchUpInside)
    button.addTarget(observer, action: Selector(observer.changed), for: .valueChanged)
    button.sendActions(for: .touchUpInside)
    button.sendActions(for: .valueChanged)
    #expect(observer.calls == ["tapped 7", "changed"])
    button.removeTarget(observer, action: nil, for: .allEvents)
    button.sendActions(for: .touchUpInside)
    let item = UIBarButtonItem(
      barButtonSystemItem: .add, target: observer, action: Selector(Page.changed))
    item.primaryAction.map { button.addAction($0, for: .editingChanged) }
    button.sendActions(for: .editingChanged)
    #expect(observer.calls == ["tapped 7", "changed", "changed"])
  }

  @Test func `A timer calls its target`() {
    let observer = Observer()
    let timer = Timer.scheduledTimer(
      timeInterval: 0.01, target: observer, selector: Selector(Observer.tick(_:)), userInfo: nil,
      repeats: false)
    timer.fire()
    #expect(observer.calls == ["tick"])
  }
}
