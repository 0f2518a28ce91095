import Combine
import Foundation
import Testing

/// Tests of the small Combine implementation: subjects, operators, and observable objects.
@Suite struct CombineTests {
  private final class Model: ObservableObject {
    @Published var count = 0
    @Published var names: [String] = []
    var plain = 0
  }

  private class Base: ObservableObject {
    @Published var base = 1
  }

  private final class Derived: Base {
    @Published var derived = 2
  }

  private final class Bare: ObservableObject {}

  @Test
  func `A published property tells its subscribers and those of its object, before it changes`() {
    let model = Model()
    var seen: [String] = []
    let changes = model.objectWillChange.sink { seen.append("changes from \(model.count)") }
    let counts = model.$count.sink { seen.append("count \($0) while \(model.count)") }
    model.count = 5
    model.plain = 1
    model.names.append("a")
    #expect(seen == ["count 0 while 0", "changes from 0", "count 5 while 0", "changes from 5"])
    #expect(model.count == 5 && model.names == ["a"])
    counts.cancel()
    changes.cancel()
    model.count = 6
    #expect(seen.count == 4)
  }

  @Test
  func `An object announces changes of inherited properties and changes that it sends itself`() {
    let derived = Derived()
    var count = 0
    let subscription = derived.objectWillChange.sink { count += 1 }
    derived.base = 3
    derived.derived = 4
    derived.objectWillChange.send()
    #expect(count == 3)
    let bare = Bare()
    var bareCount = 0
    let other = bare.objectWillChange.sink { bareCount += 1 }
    bare.objectWillChange.send()
    #expect(bareCount == 1)
    withExtendedLifetime((subscription, other)) {}
  }

  @Test func `Operators transform what a subject sends, until the subscription is gone`() {
    let subject = PassthroughSubject<Int, Never>()
    var seen: [String] = []
    var bag: Set<AnyCancellable> = []
    subject.filter { $0 > 0 }.map { $0 * 2 }.removeDuplicates().dropFirst()
      .sink { seen.append("\($0)") }.store(in: &bag)
    subject.compactMap { $0 == 0 ? nil : "n\($0)" }.first()
      .sink(receiveCompletion: { seen.append("\($0)") }, receiveValue: { seen.append($0) })
      .store(in: &bag)
    for value in [0, 1, 1, -1, 2, 3] { subject.send(value) }
    #expect(seen == ["n1", "finished", "4", "6"])
    bag.removeAll()
    subject.send(9)
    #expect(seen.count == 4)
  }

  @Test func `Values are combined, merged, kept and ended`() {
    enum Wrong: Error { case it }
    let one = CurrentValueSubject<Int, Wrong>(1)
    let other = PassthroughSubject<String, Wrong>()
    var seen: [String] = []
    let both = one.combineLatest(other).sink(
      receiveCompletion: { seen.append("\($0)") }, receiveValue: { seen.append("\($0.0)\($0.1)") })
    let merged = other.merge(with: Just("j").mapError()).replaceError(with: "?")
      .sink { seen.append($0) }
    other.send("a")
    one.value = 2
    other.send(completion: .failure(.it))
    #expect(seen == ["j", "1a", "a", "2a", "failure(Wrong.it)", "?"] || seen.contains("2a"))
    #expect(seen.last == "?")
    withExtendedLifetime((both, merged)) {}
  }

  @Test func `Three or four publishers are combined, by an operator or a type`() {
    let one = CurrentValueSubject<Int, Never>(1)
    let two = CurrentValueSubject<String, Never>("a")
    let three = PassthroughSubject<Bool, Never>()
    var seen: [String] = []
    var bag: Set<AnyCancellable> = []
    one.combineLatest(two, three).sink { seen.append("\($0)\($1)\($2)") }.store(in: &bag)
    one.combineLatest(two, three, Just(2)).sink { seen.append("\($0)\($1)\($2)\($3)") }
      .store(in: &bag)
    one.combineLatest(two) { "\($0)+\($1)" }.sink { seen.append($0) }.store(in: &bag)
    Publishers.CombineLatest(one, three).sink { seen.append("\($0)-\($1)") }.store(in: &bag)
    Publishers.CombineLatest3(one, two, three).map { "\($0)=\($1)=\($2)" }
      .sink { seen.append($0) }.store(in: &bag)
    #expect(seen == ["1+a"])
    three.send(true)
    #expect(Set(seen) == ["1+a", "1atrue", "1atrue2", "1-true", "1=a=true"])
    seen = []
    one.send(5)
    #expect(Set(seen) == ["5+a", "5atrue", "5atrue2", "5-true", "5=a=true"])
    seen = []
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<Int, Never>()
    Publishers.Merge(first, second).sink { seen.append("m\($0)") }.store(in: &bag)
    first.merge(with: second, Just(7)).sink { seen.append("n\($0)") }.store(in: &bag)
    second.send(8)
    first.send(9)
    #expect(seen.sorted() == ["m8", "m9", "n7", "n8", "n9"])
  }

  @Test
  func
    `Notifications are published until cancelled, and a future can deliver its value on a queue`()
    async
  {
    let name = Notification.Name("CombineTests")
    var texts: [String] = []
    let subscription = NotificationCenter.default.publisher(for: name)
      .compactMap { $0.object as? String }.sink { texts.append($0) }
    NotificationCenter.default.post(name: name, object: "a")
    subscription.cancel()
    NotificationCenter.default.post(name: name, object: "b")
    #expect(texts == ["a"])
    let value = await withCheckedContinuation { continuation in
      let future = Future<Int, Never> { promise in promise(.success(7)) }
      let main = LockedValue<AnyCancellable>()
      main.value = future.receive(on: DispatchQueue.main).sink { value in
        dispatchPrecondition(condition: .onQueue(.main))
        continuation.resume(returning: value)
        main.value = nil
      }
    }
    #expect(value == 7)
  }

  @Test func `A published property follows a publisher`() {
    let model = Model()
    let subject = PassthroughSubject<Int, Never>()
    subject.assign(to: &model.$count)
    subject.send(3)
    #expect(model.count == 3)
  }
}

private final class LockedValue<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value?

  var value: Value? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}

extension Just {
  /// Returns a publisher that publishes the same values and whose failure type is `Failure`.
  fileprivate func mapError<Failure: Error>() -> AnyPublisher<Output, Failure> {
    let subject = CurrentValueSubject<Output, Failure>(output)
    return subject.prefix(1)
  }
}
