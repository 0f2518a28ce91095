import BelfryWire
import Storage

/// The scripted answers in the control store, which persist across restarts until they are cleared.
struct KeptFaults {
  let store: any ControlStore

  /// Returns the rules, in the order in which they were added; a rule that can't be read is omitted.
  func rules() throws(StorageFailure) -> [FaultRule] {
    let text = try store.setting(ControlSetting.faults) ?? []
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let object = (try? JSONValue(parsing: Array(line)))?.objectValue else { return nil }
      return try? FaultRule(object)
    }
  }

  /// Replaces the stored rules.
  func keep(_ rules: [FaultRule]) throws(StorageFailure) {
    let lines = rules.map { AdministrationLines.line($0).text }
    try store.apply([
      .putSetting(
        name: ControlSetting.faults, value: Array(lines.joined(separator: "\n").utf8))
    ])
  }
}
