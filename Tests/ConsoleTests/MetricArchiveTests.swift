import BelfryWire
import System
import TestSupport
import Testing

@testable import Console
@testable import GatewayConsole

/// Tests of the archive that holds seven days of metrics in a fixed-size file.
@Suite struct MetricArchiveTests {
  private let scratch: ScratchFolder
  private let path: String
  /// The start time, which is a multiple of ten minutes, so that the steps of all tiers end together.
  private static let start: Int64 = 1_795_000_200_000

  init() throws {
    scratch = try ScratchFolder()
    path = scratch.file("metrics")
  }

  private func reading(_ seconds: Int64, accepted: Double) -> MetricArchive.Reading {
    MetricArchive.Reading(
      atMilliseconds: Self.start + seconds * 1_000, counters: [.accepted: accepted],
      gauges: [.devices: Double(seconds)])
  }

  private func values(
    _ archive: MetricArchive, minutes: Int64, at seconds: Int64, _ name: String = "accepted"
  ) -> (step: Int64?, values: [Double?]) {
    let json = archive.json(
      lastMilliseconds: minutes * 60_000, before: Self.start + seconds * 1_000)
    let values = json["series"]?.objectValue?[name]?.arrayValue ?? []
    return (json["stepSeconds"]?.integerValue, values.map(\.doubleValue))
  }

  @Test
  func
    `each tier has the rates of its own steps, and a range is read from the finest that covers it`()
    throws
  {
    let archive = try MetricArchive(file: nil)
    // Add one push per second for ten minutes, and then seven per second.
    for second in stride(from: Int64(0), through: 1_200, by: 10) {
      let accepted = second <= 600 ? second : 600 + (second - 600) * 7
      archive.add(reading(second, accepted: Double(accepted)))
    }
    let fine = values(archive, minutes: 15, at: 1_200)
    #expect(fine.step == 10 && fine.values.count == 90)
    #expect(fine.values.first == 1 && fine.values.last == 7)
    let middle = values(archive, minutes: 1_440, at: 1_200)
    #expect(
      middle.step == 60
        && middle.values == Array(repeating: 1, count: 10) + Array(repeating: 7, count: 10))
    let coarse = values(archive, minutes: 10_080, at: 1_200)
    #expect(coarse.step == 600 && coarse.values == [1, 7])
    #expect(values(archive, minutes: 10_080, at: 1_200, "devices").values == [600, 1_200])
    #expect(values(archive, minutes: 15, at: 1_200, "deliveryP99").values.allSatisfy { $0 == nil })
  }

  @Test
  func
    `the archive is the same after a restart, keeps its size, and forgets what is older than its span`()
    throws
  {
    do {
      let archive = try MetricArchive(file: path)
      for second in stride(from: Int64(0), through: 60, by: 10) {
        archive.add(reading(second, accepted: Double(second * 2)))
      }
    }
    let size = try FileSystem.read(path, limit: 1 << 20).count
    #expect(size == MetricArchive.words * 8 && size < 362_000)
    let archive = try MetricArchive(file: path)
    #expect(values(archive, minutes: 15, at: 60).values == Array(repeating: 2, count: 6))
    // Counters restart at zero, so the first step after a restart has no rate.
    archive.add(reading(70, accepted: 5))
    archive.add(reading(80, accepted: 15))
    #expect(values(archive, minutes: 15, at: 80).values == Array(repeating: 2, count: 6) + [1])
    #expect(values(archive, minutes: 15, at: 4_000).values.isEmpty)
    // An hour later, a new step replaces an old one.
    archive.add(reading(3_610, accepted: 15))
    archive.add(reading(3_620, accepted: 45))
    #expect(values(archive, minutes: 60, at: 3_620).values.last == 3)
    #expect(try FileSystem.read(path, limit: 1 << 20).count == size)
  }

  @Test
  func
    `a file of another size or format is begun again, and a clock that is set back gives no rate`()
    throws
  {
    for bytes in [
      [UInt8](repeating: 0xFF, count: 100),
      [UInt8](repeating: 0xFF, count: MetricArchive.words * 8),
    ] {
      try FileSystem.write(bytes, to: path)
      let archive = try MetricArchive(file: path)
      #expect(values(archive, minutes: 10_080, at: 60).values.isEmpty)
      archive.add(reading(60, accepted: 100))
      archive.add(reading(0, accepted: 100))
      archive.add(reading(10, accepted: 120))
      #expect(values(archive, minutes: 15, at: 60).values == [2])
    }
  }
}
