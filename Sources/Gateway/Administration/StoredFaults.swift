import BelfryWire
import Storage

/// The scripted answers in the control store, which persist across restarts until they expire or are removed.
///
/// The use counts of rules with a limit are in a separate setting, because the gateway writes them while it answers
/// requests and must not overwrite rules that an administrator changes at the same time.
struct StoredFaults {
  let store: any ControlStore

  /// Returns the rules that haven't expired, in the order in which they were added, and the highest ID that any rule
  /// has ever had.
  ///
  /// A rule that can't be read is omitted.
  func faults() throws(StorageFailure) -> (faults: [ScriptedFault], lastID: UInt64) {
    let uses = try uses()
    var lastID: UInt64 = 0
    var faults: [ScriptedFault] = []
    for object in try objects(ControlSetting.faults) {
      if let last = object[Self.lastKey]?.integerValue {
        lastID = max(lastID, UInt64(clamping: last))
        continue
      }
      guard let rule = try? FaultRule(object) else { continue }
      // Rules from earlier releases have no ID; they are numbered in the order in which they are stored.
      let id = object["id"]?.integerValue.map { UInt64(clamping: $0) } ?? lastID + 1
      lastID = max(lastID, id)
      let fault = ScriptedFault(id: id, rule, used: uses[id] ?? 0)
      if fault.remaining != 0 { faults.append(fault) }
    }
    return (faults, lastID)
  }

  /// Replaces the stored rules.
  func keep(_ faults: [ScriptedFault], lastID: UInt64) throws(StorageFailure) {
    var lines = faults.map { fault in
      var line = AdministrationLines.line(fault)
      line["remaining"] = nil
      return line.text
    }
    lines.append(JSONValue.object([Self.lastKey: .integer(Int64(clamping: lastID))]).text)
    try put(ControlSetting.faults, lines)
  }

  /// Replaces the stored use counts of the rules.
  func keepUses(of faults: [ScriptedFault]) throws(StorageFailure) {
    let lines = faults.filter { $0.uses > 0 }.map { fault in
      JSONValue.object([
        "id": .integer(Int64(clamping: fault.id)), "uses": .integer(Int64(fault.uses)),
      ]).text
    }
    try put(ControlSetting.faultUses, lines)
  }

  private func uses() throws(StorageFailure) -> [UInt64: UInt32] {
    var uses: [UInt64: UInt32] = [:]
    for object in try objects(ControlSetting.faultUses) {
      guard let id = object["id"]?.integerValue, let count = object["uses"]?.integerValue else {
        continue
      }
      uses[UInt64(clamping: id)] = UInt32(clamping: count)
    }
    return uses
  }

  private func objects(_ setting: String) throws(StorageFailure) -> [JSONObject] {
    let text = try store.setting(setting) ?? []
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(parsing: Array(line)))?.objectValue
    }
  }

  private func put(_ setting: String, _ lines: [String]) throws(StorageFailure) {
    try store.apply([
      .putSetting(name: setting, value: Array(lines.joined(separator: "\n").utf8))
    ])
  }

  /// The name of the member that contains the highest ID; its line contains no rule.
  private static let lastKey = "lastID"
}
