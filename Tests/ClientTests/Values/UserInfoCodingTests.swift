import BelfryClient
import BelfryWire
import Foundation
import Testing

/// Tests of how the app's own data is encoded for the agent and decoded again (S0-15).
@Suite struct UserInfoCodingTests {
  private func roundTrip(_ userInfo: [AnyHashable: Any]) throws -> [AnyHashable: Any] {
    let (json, archive) = try UserInfoCoding.encode(userInfo)
    return UserInfoCoding.decode(json, archive: archive)
  }

  @Test
  func `Plain values travel as JSON, and every number's type is found in it again`() throws {
    let userInfo: [AnyHashable: Any] = [
      "text": "ä", "whole": 3, "fraction": 1.5, "yes": true, "no": false, "list": [1, "two"],
      "inner": ["a": ["b": -7]], "large": Int.max,
    ]
    let (json, archive) = try UserInfoCoding.encode(userInfo)
    #expect(archive == nil)
    #expect(json["whole"] == .integer(3))
    #expect(json["yes"] == .bool(true))
    #expect(json["fraction"] == .double(1.5))
    let back = UserInfoCoding.decode(json, archive: nil)
    #expect(back["text"] as? String == "ä")
    #expect(back["whole"] as? Int == 3)
    #expect(back["whole"] as? Double == 3)
    #expect(back["fraction"] as? Double == 1.5)
    #expect(back["yes"] as? Bool == true)
    #expect(back["no"] as? Bool == false)
    #expect((back["list"] as? [Any])?.count == 2)
    #expect(((back["inner"] as? [String: Any])?["a"] as? [String: Any])?["b"] as? Int == -7)
    #expect(back["large"] as? Int == Int.max)
  }

  @Test
  func `Dates and data keep their types through the round trip`() throws {
    let date = Date(timeIntervalSince1970: 1_276_203_600)
    let back = try roundTrip(["when": date, "bytes": Data([0, 255]), "list": [date]])
    // S0-15 part 1 of 2: property-list data arrives
    // S1-47 part 1 of 2: property-list data arrives
    #expect(back["when"] as? Date == date)
    #expect(back["bytes"] as? Data == Data([0, 255]))
    #expect((back["list"] as? [Date]) == [date])
  }

  @Test
  func `Foundation's own objects are taken as Swift's values`() throws {
    let back = try roundTrip([
      "number": NSNumber(value: 7), "flag": NSNumber(value: true), "text": NSString(string: "s"),
      "list": NSArray(array: [1, 2]), "map": NSDictionary(dictionary: ["a": 1]),
    ])
    #expect(back["number"] as? Int == 7)
    #expect(back["flag"] as? Bool == true)
    #expect(back["text"] as? String == "s")
    #expect((back["list"] as? [Any])?.count == 2)
    #expect((back["map"] as? [String: Any])?["a"] as? Int == 1)
  }

  final class NoPropertyList {}

  @Test
  func `Values that are not property lists are refused`() {
    #expect(throws: UserInfoCoding.Unsuitable.self) {
      try UserInfoCoding.encode(["object": NoPropertyList()])
    }
    #expect(throws: UserInfoCoding.Unsuitable.self) { try UserInfoCoding.encode([1: "key"]) }
    var deep: [String: Any] = [:]
    for _ in 0..<100 { deep = ["deeper": deep] }
    #expect(throws: UserInfoCoding.Unsuitable.self) { try UserInfoCoding.encode(deep) }
  }

  @Test
  func `NSNull is refused in an app's own data and accepted in a push's`() throws {
    let unfit: [[String: Any]] = [
      ["null": NSNull()], ["list": ["a", NSNull()]], ["inner": ["deeper": [NSNull()]]],
    ]
    for userInfo in unfit {
      #expect(throws: UserInfoCoding.Unsuitable.self) { try UserInfoCoding.encode(userInfo) }
      let pushed = try UserInfoCoding.encode(userInfo, allowsNull: true)
      #expect(pushed.json.text.contains("null"))
    }
  }

  @Test
  func `A payload arrives as a dictionary with aps and the provider's own keys`() throws {
    let payload = Array(
      #"{"aps":{"alert":"hi","badge":1,"sound":"s.caf"},"special":"x","none":null}"#.utf8)
    let userInfo = UserInfoCoding.payload(payload)
    // S0-45 part 1 of 2: the dictionary for a payload
    let aps = try #require(userInfo["aps"] as? [String: Any])
    #expect(aps["badge"] as? Int == 1)
    #expect(aps["alert"] as? String == "hi" && aps["sound"] as? String == "s.caf")
    #expect(userInfo["special"] as? String == "x")
    #expect(userInfo["none"] is NSNull)
    #expect(UserInfoCoding.payload(Array("no json".utf8)).isEmpty)
    #expect(UserInfoCoding.payload(Array("[1]".utf8)).isEmpty)
  }
}
