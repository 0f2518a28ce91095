import PushWire
import Foundation
import Glibc
import Storage
import System
import TestSupport
import Testing

@testable import Gateway

@Suite struct DeliveryLogTests {
  private let scratch: ScratchFolder
  private let path: String

  init() throws {
    scratch = try ScratchFolder()
    path = scratch.file("delivery-log.0")
  }

  private func entry(_ number: Int64) -> DeliveryLog.Entry {
    DeliveryLog.Entry(
      atMilliseconds: 1_795_000_000_000 + number, state: .discardedDisabledFromStorage,
      key: NotificationKey(device: .max, app: .max - 1, kind: 7),
      id: NotificationID(high: UInt64(number), low: .max, isLowercase: true),
      uniqueID: NotificationID(high: .max, low: 1),
      // The pushes cover every type, and some pushes have no type.
      pushType: PushType(rawValue: UInt8(number % 12)))
  }

  private func numbers(_ log: DeliveryLog) -> [Int64] {
    log.lines { _ in true }.map { $0.atMilliseconds - 1_795_000_000_000 }
  }

  @Test
  func `the oldest line goes where the log is full, and lines are read oldest first`() throws {
    let log = try DeliveryLog(capacity: 3)
    #expect(numbers(log).isEmpty)
    for number in 1...5 { log.append(entry(Int64(number))) }
    #expect(numbers(log) == [3, 4, 5])
    #expect(log.lines { $0.id.high == 4 }.map(\.atMilliseconds) == [1_795_000_000_004])
  }

  @Test
  func `the history of a notification has its own lines only, also after the log was full`() throws
  {
    let log = try DeliveryLog(capacity: 4)
    func line(_ number: Int64, _ state: DeliveryState, unique: UInt64, app: UInt32 = 5) {
      log.append(
        DeliveryLog.Entry(
          atMilliseconds: number, state: state,
          key: NotificationKey(device: 1, app: app, kind: 7),
          id: NotificationID(high: 9, low: 9), uniqueID: NotificationID(high: 1, low: unique)))
    }
    let key = NotificationKey(device: 1, app: 5, kind: 7)
    func history(_ unique: UInt64) -> [Int64] {
      log.history(of: key, uniqueID: NotificationID(high: 1, low: unique)).map(\.atMilliseconds)
    }
    #expect(history(0).isEmpty)
    line(1, .received, unique: 2)
    line(2, .received, unique: 3)
    line(3, .storedOffline, unique: 2)
    line(4, .withdrawn, unique: 2, app: 6)
    #expect(history(2) == [1, 3] && history(3) == [2] && history(4).isEmpty)
    line(5, .delivered, unique: 2)
    #expect(history(2) == [3, 5])
  }

  @Test
  func `a line is the same after a restart, in every member, and new ones follow it`() throws {
    do {
      let log = try DeliveryLog(file: path, capacity: 3)
      for number in 1...4 { log.append(entry(Int64(number))) }
    }
    let log = try DeliveryLog(file: path, capacity: 3)
    #expect(log.lines { _ in true } == [entry(2), entry(3), entry(4)])
    #expect(log.lines { _ in true }.map(\.pushType) == [.background, .location, .voip])
    #expect(log.lines { _ in true }.map(\.id.isLowercase) == [true, true, true])
    #expect(log.lines { _ in true }.map(\.uniqueID.isLowercase) == [false, false, false])
    log.append(entry(5))
    #expect(numbers(log) == [3, 4, 5])
  }

  @Test
  func `a log file with a different capacity or format is replaced by an empty log`() throws {
    do { try DeliveryLog(file: path, capacity: 3).append(entry(1)) }
    #expect(numbers(try DeliveryLog(file: path, capacity: 4)).isEmpty)
    for byte: UInt8 in [0, 1, 0xFF] {
      try FileSystem.write([UInt8](repeating: byte, count: 4 * 64), to: path)
      let log = try DeliveryLog(file: path, capacity: 3)
      #expect(numbers(log).isEmpty)
      log.append(entry(1))
      #expect(numbers(log) == [1])
    }
  }

  @Test(arguments: 0..<64)
  func `damage in the file costs lines, never the process`(seed: Int) throws {
    do {
      let log = try DeliveryLog(file: path, capacity: 3)
      for number in 1...4 { log.append(entry(Int64(number))) }
    }
    var bytes = try FileSystem.read(path, limit: 1 << 16)
    // Flip one bit in every third word after the magic number; each seed flips a different bit.
    for word in stride(from: 1 + seed % 3, to: bytes.count / 8, by: 3) {
      bytes[word * 8 + seed / 8] ^= 1 << (seed % 8)
    }
    try FileSystem.write(bytes, to: path)
    let log = try DeliveryLog(file: path, capacity: 3)
    #expect(log.lines { _ in true }.count <= 3)
    log.append(entry(9))
    #expect(numbers(log).last == 9)
  }

  @Test(arguments: [0, 8, 64, 100])
  func `a file that is cut while it is used costs lines, never the process`(bytes: Int) throws {
    let log = try DeliveryLog(file: path, capacity: 1_000)
    for number in 1...900 { log.append(entry(Int64(number))) }
    log.flush()
    #expect(truncate(path, bytes) == 0)
    log.append(entry(901))
    log.flush()
    #expect(numbers(log).count == 901)
    #expect(numbers(try DeliveryLog(reading: path, capacity: 1_000)).isEmpty)
    let again = try DeliveryLog(file: path, capacity: 1_000)
    again.append(entry(902))
    #expect(numbers(again) == [902])
  }

  @Test func `the file has a turn's lines once they are flushed, also around the end`() throws {
    let log = try DeliveryLog(file: path, capacity: 4)
    for number in 1...3 { log.append(entry(Int64(number))) }
    log.flush()
    for number in 4...6 { log.append(entry(Int64(number))) }
    #expect(numbers(try DeliveryLog(reading: path, capacity: 4)) == [1, 2, 3])
    log.flush()
    #expect(numbers(try DeliveryLog(reading: path, capacity: 4)) == [3, 4, 5, 6])
    for number in 7...20 { log.append(entry(Int64(number))) }
    log.flush()
    #expect(numbers(try DeliveryLog(reading: path, capacity: 4)) == [17, 18, 19, 20])
  }

  @Test func `a reader does not modify the file`() throws {
    try FileSystem.write([1, 2, 3], to: path)
    #expect(numbers(try DeliveryLog(reading: path, capacity: 3)).isEmpty)
    #expect(try FileSystem.read(path, limit: 10) == [1, 2, 3])
  }
}
