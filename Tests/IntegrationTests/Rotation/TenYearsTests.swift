import Foundation

import System
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Tests of ten years in the life of a gateway and its devices, in virtual time.
///
/// Certificates expire, the authority and the token key are rotated, and devices are offline for months or killed.
@Suite(.timeLimit(.minutes(30))) struct TenYearsTests {
  private static let day: Int64 = 86_400
  private static let years: Int64 = 10
  /// The number of devices, which is 1,000 with `make ten-years`.
  private static let devices =
    ProcessInfo.processInfo.environment["BELFRY_TEN_YEARS_DEVICES"].flatMap(UInt64.init) ?? 50

  /// The counts of events during the ten years.
  private struct Account {
    var visits = 0
    var rotations = 0
    var finished = 0
    var tokenRotations = 0
    var retired = 0
    var longestAway = 0
    var lost: [String] = []
  }

  @Test func `in ten years no device is lost and no token dies`() async throws {
    let scratch = try ScratchFolder()
    let clock = VirtualSeconds(1_795_000_000)
    let gateway = try TenYearsGateway(in: scratch.file("gateway"), clock)
    var random = SeededGenerator(seed: 10)
    var devices: [TenYearsDevice] = []
    var visits: [Int: [Int]] = [:]
    for index in 0..<Self.devices {
      devices.append(
        try TenYearsDevice(index + 1, key: ES256PrivateKey(), at: gateway))
      visits[Int.random(in: 0..<30, using: &random), default: []].append(Int(index))
    }
    var account = Account()
    var verified: Set<[UInt8]> = []
    let start = clock.seconds
    for day in 0..<Int(Self.years * 365) {
      clock.seconds = start + Int64(day) * Self.day
      // Let other tests, which wait for real programs, use the limited number of threads.
      await Task.yield()
      if day % 30 == 0 { try administer(gateway, day: day, &account) }
      for index in visits.removeValue(forKey: day) ?? [] {
        let fate = TenYearsDevice.Fate(rawValue: random.next() % 8) ?? .kept
        account.visits += 1
        if let why = try devices[index].visit(
          gateway, clock.seconds, verified: &verified, fate: fate)
        {
          account.lost.append("day \(day), \(why)")
          continue
        }
        // After one visit in thirty, the device stays away for months.
        let isLong = random.next() % 30 == 0
        let pause = Int.random(in: isLong ? 90...420 : 1...90, using: &random)
        account.longestAway = max(account.longestAway, pause)
        visits[day + pause, default: []].append(index)
      }
    }
    #expect(account.lost.isEmpty, "\(account.lost.prefix(5))")
    for device in devices {
      let token = try #require(device.tokens.last)
      #expect(
        gateway.opens(token, of: device.number), "a token of device \(device.number) is invalid")
      let left = try device.certificate.notAfter - clock.seconds
      #expect(left > 7 * 365 * Self.day, "a certificate expires in \(left / Self.day) days")
    }
    #expect(account.rotations == 3 && account.finished >= 2)
    #expect(account.tokenRotations >= 5 && account.retired >= 3)
    #expect(gateway.renewals > devices.count * 10)
    print("ten years of \(devices.count) devices: \(account), \(gateway.renewals) renewals")
  }

  /// Performs the operator's monthly work: begins each rotation on its date, and finishes the rotation as soon as this
  /// locks out no device.
  private func administer(
    _ gateway: TenYearsGateway, day: Int, _ account: inout Account
  ) throws {
    try gateway.reload()
    if [720, 1_800, 2_880].contains(day), try gateway.perform(.rotateAuthority) {
      account.rotations += 1
    }
    if try gateway.perform(.finishAuthority(isForced: false)) { account.finished += 1 }
    if day % 540 == 0, day > 0, try gateway.perform(.rotateTokenKey) {
      account.tokenRotations += 1
    }
    for key in try gateway.folder.tokenKeys().dropFirst() {
      if try gateway.perform(.retireTokenKey(id: TokenKeys.name(of: key), isForced: false)) {
        account.retired += 1
      }
    }
  }
}

/// A generator of random numbers that a seed determines (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
