#if DEBUG
  import Gateway
  import Storage
  import Testing

  private typealias Bench = DeliveryBench

  /// Tests that the cost of a notification doesn't grow with the number of notifications.
  ///
  /// The tests count the entries that the core's lists examine and move. Unlike measurements of time, these counts
  /// don't depend on the machine's load.
  @Suite struct DeliveryWorkTests {
    /// The maximum number of examined entries: twice the steps of a search among 40,000 entries, plus the moves that
    /// close gaps.
    private let examinedMax = 40

    /// Commits everything that is due, without a store.
    private func commitAll(_ bench: inout Bench) {
      while let due = bench.core.nextCommitNanoseconds(), due <= bench.now.nanoseconds {
        let operations = bench.core.takeCommit(now: bench.now)
        #expect(!operations.isEmpty)
        bench.core.commitFinished(isDurable: true, now: bench.now)
        bench.drain()
      }
    }

    /// Commits to the bench's store everything that is due.
    ///
    /// The store drops notifications that exceed its limit.
    private func storeAll(_ bench: inout Bench) throws {
      while let due = bench.core.nextCommitNanoseconds(), due <= bench.now.nanoseconds {
        let count = try bench.commit()
        #expect(count > 0)
      }
    }

    @Test func `40,000 pushes to one offline token cost each the same`() {
      var bench = Bench()
      bench.checksInvariants = false
      let count = 40_000
      for number in 0..<count { bench.push("\(number)", keep: .max) }
      commitAll(&bench)
      #expect(bench.answered.count == count)
      #expect(bench.core.examined <= count * examinedMax)
      #expect(bench.states.suffix(count).allSatisfy { $0 == .storedOffline })
      bench.core.checkInvariants()
    }

    @Test func `pushes that power keeps back cost each the same`() throws {
      var bench = Bench()
      try bench.connect(apps: [7, 8], power: DevicePower(isRestricted: true))
      bench.checksInvariants = false
      let count = 3_000
      for number in 0..<count {
        // The collapse ID makes every second notification replace the one before it.
        bench.push("\(number)", priority: 5, keep: .max, collapseID: "\(number / 2)")
        bench.push("other \(number)", to: Bench.key(app: 8), priority: 5, keep: 3)
        if number % 1_000 == 999 { try storeAll(&bench) }
      }
      try storeAll(&bench)
      #expect(bench.answered.count == 2 * count)
      #expect(bench.states.filter { $0 == .replaced }.count == count / 2 + count - 3)
      #expect(bench.core.examined <= 2 * count * examinedMax)
      bench.core.checkInvariants()
      let before = bench.core.examined
      bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
      bench.drain()
      #expect(bench.sent.count == 64)
      #expect(bench.core.examined - before <= 2 * count * examinedMax)
    }

    @Test func `a slow device with a full memory costs each push the same`() throws {
      var bench = Bench()
      try bench.connect(window: 1)
      bench.checksInvariants = false
      for number in 0..<1_000 { bench.push("\(number)", keep: .max, collapseID: "\(number)") }
      let before = bench.core.examined
      for number in 0..<1_000 { bench.push("once \(number)", expiresIn: 0) }
      for number in 1..<1_000 { bench.push("again \(number)", keep: .max, collapseID: "\(number)") }
      #expect(bench.states.filter { $0 == .replaced }.count == 999)
      #expect(bench.core.examined - before <= 2_000 * examinedMax)
      bench.core.checkInvariants()
    }

    @Test func `each row of a long load costs the same, and so does each acknowledgement`() throws {
      var bench = Bench()
      try bench.connect(window: 64, isLoadAnswered: false)
      bench.checksInvariants = false
      let count = 20_000
      let rows = (1...count).map { number in
        StoredNotification(
          key: Bench.key(), sequence: UInt64(number), id: .init(high: 0, low: UInt64(number)),
          uniqueID: .init(high: 1, low: UInt64(number)), expiration: .max, priority: 10,
          pushType: 1,
          collapseID: [], payload: Array("\(number)".utf8), acceptedMilliseconds: 0)
      }
      bench.loads.removeAll()
      bench.core.loaded(1, session: SessionID(1), rows: rows, now: bench.now)
      bench.drain()
      for number in 1...count {
        if bench.sent.count < number { try bench.commit() }
        try bench.acknowledge("\(number)")
      }
      #expect(bench.sent == (1...count).map(String.init))
      #expect(bench.core.examined <= count * examinedMax)
      bench.core.checkInvariants()
    }

    @Test func `notifications that end before their commit are skipped only once`() throws {
      var bench = Bench()
      try bench.connect()
      bench.checksInvariants = false
      for number in 0..<10_000 {
        bench.push("\(number)")
        try bench.acknowledge("\(number)")
        _ = try bench.commit()
      }
      #expect(bench.core.examined <= 10_000 * 8)
      let isSettled = bench.core.isSettled
      #expect(isSettled)
    }
  }
#endif
