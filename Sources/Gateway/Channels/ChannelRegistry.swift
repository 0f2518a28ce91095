import PushWire

/// All channels of a gateway, with the rules for creating, reading, and removing them and for sending broadcasts
/// (apns-protocol 5.3, 5.4).
///
/// The registry performs no I/O; its owner makes changes durable.
struct ChannelRegistry {
  private struct Entry {
    let app: UInt32
    let configuration: ChannelConfiguration
  }

  private var entries: [ChannelID: Entry] = [:]
  /// The channels of each app, oldest first.
  private var byApp: [UInt32: [ChannelID]] = [:]
  /// The cached results of ``list(of:)``, because the same list might be requested thousands of times.
  ///
  /// A list of 10,000 channels is 270 KB long.
  private var lists: [UInt32: [UInt8]] = [:]

  /// Adds a channel unless it already exists.
  mutating func add(_ id: ChannelID, app: UInt32, _ configuration: ChannelConfiguration) {
    guard entries[id] == nil else { return }
    entries[id] = Entry(app: app, configuration: configuration)
    byApp[app, default: []].append(id)
    lists[app] = nil
  }

  /// Removes a channel and returns true if it existed.
  mutating func remove(_ id: ChannelID) -> Bool {
    guard let entry = entries.removeValue(forKey: id) else { return false }
    byApp[entry.app]?.removeAll { $0 == id }
    lists[entry.app] = nil
    return true
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(
      byApp.values.reduce(0) { $0 + $1.count } == entries.count,
      "every channel is listed under one app")
    for (app, channels) in byApp {
      assert(
        channels.count <= Limits.channelsPerAppMax,
        "app \(app) is within its limit of channels: \(channels.count)")
      assert(channels.allSatisfy { entries[$0]?.app == app }, "a listed channel belongs to the app")
    }
  }

  /// All channels, in no particular order.
  var allChannels: [ChannelID] { Array(entries.keys) }

  /// Returns an app's channels, oldest first.
  func channels(of app: UInt32) -> [ChannelID] { byApp[app] ?? [] }

  /// Returns an app's channels, oldest first, as the JSON body of a response (apns-protocol 5.3).
  mutating func list(of app: UInt32) -> [UInt8] {
    if let list = lists[app] { return list }
    var list = Array(#"{"channels":["#.utf8)
    for (index, id) in channels(of: app).enumerated() {
      if index > 0 { list.append(UInt8(ascii: ",")) }
      list.append(UInt8(ascii: "\""))
      list += id.text.utf8
      list.append(UInt8(ascii: "\""))
    }
    list += "]}".utf8
    lists[app] = list
    return list
  }

  /// Returns true if one more channel can be created for an app while `waiting` others are being created.
  func hasRoom(_ app: UInt32, waiting: Int) -> Bool {
    channels(of: app).count + waiting < Limits.channelsPerAppMax
  }

  /// Returns the configuration of an app's channel; `nil` if the channel doesn't exist or belongs to another app.
  func configuration(of id: ChannelID, app: UInt32) -> ChannelConfiguration? {
    guard let entry = entries[id], entry.app == app else { return nil }
    return entry.configuration
  }

  /// Returns the app that owns a channel.
  func app(of id: ChannelID) -> UInt32? { entries[id]?.app }

  /// The delivery mode of a broadcast, or the reason for its refusal.
  enum Broadcasting: Equatable {
    case refused(Rejection)
    /// The message is sent to connected devices and stored for the others until the expiration time, which is in
    /// seconds since 1970.
    case kept(expiration: Int64)
    case once
  }

  /// Returns the delivery mode of a broadcast, or the reason for its refusal.
  ///
  /// A channel without storage accepts only an expiration of 0. A channel with storage stores the message for a limited
  /// time after `start`. `start` and `now` are in seconds since 1970.
  func broadcasting(
    to id: ChannelID, app: UInt32, expiration: Int64, atSeconds now: Int64,
    storedFrom start: Int64
  ) -> Broadcasting {
    guard let configuration = configuration(of: id, app: app) else {
      return .refused(.channelNotRegistered)
    }
    guard configuration.keepsLatest else {
      return expiration == 0 ? .once : .refused(.badExpirationDate)
    }
    guard expiration > now else { return .once }
    return .kept(expiration: min(expiration, start + Limits.channelStorageSecondsMax))
  }
}
