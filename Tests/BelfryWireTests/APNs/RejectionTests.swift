import PushWire
import Testing

@Suite struct RejectionTests {
  @Test func `every reason has its own string and a status of APNs`() {
    let strings = Rejection.allCases.map(\.reason)
    #expect(Set(strings).count == strings.count)
    for rejection in Rejection.allCases {
      #expect([400, 403, 404, 405, 410, 413, 429, 500, 503].contains(rejection.status))
      #expect(Rejection(reason: rejection.reason) == rejection)
    }
  }

  @Test func `the device interface has its 32 reasons with their statuses`() {
    let counts = Dictionary(grouping: Rejection.allCases.prefix(32), by: \.status).mapValues(
      \.count)
    #expect(counts == [400: 14, 403: 8, 404: 1, 405: 1, 410: 2, 413: 1, 429: 2, 500: 1, 503: 2])
  }

  @Test func `both spellings of the environment's reason are understood`() {
    #expect(Rejection(reason: "BadEnvironmentKeyIdInToken") == .badEnvironmentKeyInToken)
    #expect(Rejection(reason: "NoSuchReason") == nil)
  }

  @Test(
    arguments: [
      (.missingDeviceToken, 2), (.missingTopic, 3), (.payloadEmpty, 4),
      (.payloadTooLarge, 7), (.badDeviceToken, 8), (.unregistered, 8), (.shutdown, 10),
      (.internalServerError, 1),
    ] as [(Rejection, UInt8)])
  func `legacy codes are those of the error packet`(rejection: Rejection, code: UInt8) {
    #expect(rejection.row.legacyStatus == code)
  }
}
