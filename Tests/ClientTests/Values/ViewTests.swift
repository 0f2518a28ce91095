import Testing
import UIKit

/// Tests that views hold references to each other as apps expect, and that a view controller appears together with its
/// view.
@MainActor @Suite struct ViewTests {
  private final class Page: UIViewController {
    var appeared = 0

    override func loadView() {
      view = UIView(frame: .zero)
      let text = UITextView()
      text.tag = 11
      view.addSubview(text)
    }

    override func viewDidAppear(_ animated: Bool) { appeared += 1 }
  }

  @Test
  func `A view is found by its tag, however deep, and a stranger's is not`() {
    let outer = UIView(frame: .zero)
    let inner = UIView(frame: .zero)
    let control = UISwitch()
    control.tag = 101
    inner.addSubview(control)
    outer.addSubview(inner)
    #expect(outer.viewWithTag(101) === control)
    #expect(control.isDescendant(of: outer))
    inner.removeFromSuperview()
    #expect(outer.viewWithTag(101) == nil)
    #expect(!control.isDescendant(of: outer))
  }

  @Test
  func `The key window holds the views of what fills it, once that has appeared`() {
    let page = Page()
    let window = UIWindow(frame: .zero)
    window.addSubview(UINavigationController(rootViewController: page).view)
    #expect(page.appeared == 0)
    window.makeKeyAndVisible()
    #expect(page.appeared == 1)
    #expect(UIApplication.shared.keyWindow?.viewWithTag(11) is UITextView)

    let other = Page()
    let second = UIWindow(frame: .zero)
    second.makeKeyAndVisible()
    second.rootViewController = other
    #expect(other.appeared == 1)
    #expect(second.viewWithTag(11) is UITextView)
    second.rootViewController = UIViewController()
    #expect(second.viewWithTag(11) == nil)
  }

  @Test
  func `A navigation stack shows only its top view`() {
    let (bottom, top) = (Page(), Page())
    let window = UIWindow(frame: .zero)
    let stack = UINavigationController(rootViewController: bottom)
    window.rootViewController = stack
    window.makeKeyAndVisible()
    stack.pushViewController(top, animated: false)
    #expect(top.view.isDescendant(of: window))
    #expect(!bottom.view.isDescendant(of: window))
    stack.popViewController(animated: false)
    #expect(!top.view.isDescendant(of: window))
    #expect(bottom.view.isDescendant(of: window))
    #expect((bottom.appeared, top.appeared) == (2, 1))
  }

  @Test
  func `An action runs for its events, with its sender, and once where it is added twice`() {
    var seen: [String] = []
    let action = UIAction(title: "Register") { seen.append("\($0.title) \($0.sender is UIButton)") }
    let button = UIButton(primaryAction: action)
    button.addAction(action, for: [.touchUpInside, .valueChanged])
    button.sendActions(for: .touchUpInside)
    button.sendActions(for: .editingChanged)
    #expect(seen == ["Register true"])
    button.removeAction(action, for: .touchUpInside)
    button.sendActions(for: .touchUpInside)
    #expect(seen.count == 1)
    button.sendActions(for: .valueChanged)
    #expect(seen.count == 2)
    #expect(button.currentTitle == "Register")
  }

  @Test
  func `The bar of a stack has the controller's title and buttons`() {
    let page = Page()
    page.title = "Push Client"
    let item = UIBarButtonItem(title: "Register", primaryAction: UIAction { _ in })
    page.navigationItem.rightBarButtonItem = item
    #expect(page.navigationItem.title == "Push Client")
    #expect(page.navigationItem.rightBarButtonItems == [item])
    #expect(page.navigationItem.leftBarButtonItem == nil)
  }
}
