import Dispatch
import MessageBus
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BusMessagesTests {
  @Test(.requires(.natsServer))
  func `Ten thousand messages arrive once and in order`() async throws {
    let server = try await NATSProgram()
    let (receiver, events) = try BusClient.recorded(server)
    #expect(receiver.subscribe("node.1"))
    try await events.subscribed("node.1")
    let (sender, sending) = try BusClient.recorded(server)
    try await sending.connected()
    #expect(sender.isConnected)
    let texts = (0..<10_000).map { "message \($0)" }
    for text in texts { #expect(sender.publish(text: text, to: "node.1")) }
    #expect(sender.publish(text: "other", to: "node.2"))
    try await events.messages(10_000)
    receiver.close()
    sender.close()
    #expect(events.texts == texts)
    #expect(events.losses == 0)
  }

  @Test(.requires(.natsServer))
  func `Each subscriber receives the messages of its subjects`() async throws {
    let server = try await NATSProgram()
    let (one, first) = try BusClient.recorded(server)
    let (other, second) = try BusClient.recorded(server)
    #expect(one.subscribe("news"))
    #expect(!one.subscribe("news"))
    #expect(other.subscribe("*.2"))
    #expect(other.subscribe("news"))
    try await first.subscribed("news")
    try await second.subscribed("*.2")
    try await second.subscribed("news")
    #expect(one.publish(text: "to 2", to: "node.2"))
    #expect(one.publish([], to: "news"))
    try await first.messages(1)
    try await second.messages(2)
    #expect(first.texts == [""])
    #expect(Set(second.texts) == ["to 2", ""])
    one.close()
    other.close()
  }

  @Test(.requires(.natsServer))
  func `A payload of the server's limit is accepted, and a larger one is refused`() async throws {
    for (settings, limit) in [([], 1 << 20), (["max_payload: 1000"], 1_000)] {
      let server = try await NATSProgram(settings: settings)
      let (bus, events) = try BusClient.recorded(server)
      #expect(bus.subscribe("large"))
      try await events.subscribed("large")
      #expect(!bus.publish([UInt8](repeating: 65, count: limit + 1), to: "large"))
      #expect(bus.publish([UInt8](repeating: 66, count: limit), to: "large"))
      try await events.messages(1)
      #expect(events.texts.first?.utf8.count == limit)
      #expect(events.reasons.isEmpty)
      bus.close()
    }
  }

  @Test(.requires(.natsServer))
  func `A slow handler is reported, also for messages lost after the first report`() async throws {
    let server = try await NATSProgram()
    let events = BusEvents()
    let release = DispatchSemaphore(value: 0)
    let isFirst = Atomic<Bool>(true)
    let receiver = try BusClient(BusOptions(address: BusAddress(server.url))) { event in
      if event.text != nil, isFirst.exchange(false, ordering: .relaxed) { release.wait() }
      events.append(event)
    }
    #expect(receiver.subscribe("slow"))
    try await events.subscribed("slow")
    let (sender, sending) = try BusClient.recorded(server)
    try await sending.connected()
    // The outbox is smaller than the number of messages.
    func send(_ count: Int) async throws {
      for _ in 0..<count {
        while !sender.publish(text: "m", to: "slow") {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
    }
    try await send(70_000)
    try await events.wait(for: "the first loss") { $0.losses >= 1 }
    #expect(events.texts.isEmpty)
    // The library does not report these losses.
    try await send(1_000)
    #expect(sender.subscribe("end"))
    try await sending.subscribed("end")
    release.signal()
    try await events.wait(for: "the last loss") { $0.losses >= 2 }
    receiver.close()
    sender.close()
    #expect(events.texts.count < 70_000)
    #expect(events.reasons.isEmpty)
  }

  @Test(.requires(.natsServer))
  func `No event is reported after the bus is closed while messages arrive`() async throws {
    let server = try await NATSProgram()
    let isInHandler = Atomic<Bool>(false)
    let events = BusEvents()
    let receiver = try BusClient(BusOptions(address: BusAddress(server.url))) { event in
      isInHandler.store(true, ordering: .sequentiallyConsistent)
      events.append(event)
      isInHandler.store(false, ordering: .sequentiallyConsistent)
    }
    #expect(receiver.subscribe("stream"))
    try await events.subscribed("stream")
    let (sender, sending) = try BusClient.recorded(server)
    #expect(sender.subscribe("stream"))
    try await sending.subscribed("stream")
    for _ in 0..<30_000 { #expect(sender.publish(text: "m", to: "stream")) }
    try await events.messages(10)
    receiver.close()
    let isStillInHandler = isInHandler.load(ordering: .sequentiallyConsistent)
    #expect(!isStillInHandler)
    let count = events.all.count
    receiver.close()
    try await sending.messages(30_000)
    #expect(events.all.count == count)
    #expect(!receiver.isConnected)
    #expect(!receiver.publish(text: "m", to: "stream"))
    #expect(!receiver.subscribe("another"))
    sender.close()
  }

  @Test(.requires(.natsServer))
  func `A handler can close the bus`() async throws {
    let server = try await NATSProgram()
    let events = BusEvents()
    let bus = Mutex<BusClient?>(nil)
    let made = try BusClient(BusOptions(address: BusAddress(server.url))) { event in
      if event.text != nil { bus.withLock { $0 }?.close() }
      events.append(event)
    }
    bus.withLock { $0 = made }
    #expect(made.subscribe("end"))
    try await events.subscribed("end")
    #expect(made.publish(text: "one", to: "end"))
    _ = made.publish(text: "two", to: "end")
    try await events.messages(1)
    #expect(!made.isConnected)
    made.close()
    #expect(events.texts == ["one"])
    bus.withLock { $0 = nil }
  }

  @Test(.requires(.natsServer))
  func `The messages that were accepted before the bus is closed arrive`() async throws {
    let server = try await NATSProgram()
    let (receiver, events) = try BusClient.recorded(server)
    #expect(receiver.subscribe("last"))
    try await events.subscribed("last")
    let (sender, sending) = try BusClient.recorded(server)
    try await sending.connected()
    for number in 0..<5_000 { #expect(sender.publish(text: "\(number)", to: "last")) }
    sender.close()
    try await events.messages(5_000)
    receiver.close()
    #expect(events.texts.last == "4999")
  }
}
