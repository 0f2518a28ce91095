import BelfryWire
import System

/// The notice for the operator that a data folder was restored from a backup, or that one of its databases is older
/// than the other.
///
/// The notice stays in the folder until a gateway has started there. A start that fails, for example, because a port is
/// in use, therefore doesn't lose the notice.
enum RestorationNotice {
  /// The marker's member that contains the notice about the databases.
  private static let stores = "stores"
  /// The maximum size of the marker in bytes.
  private static let bytesMax = 65_536

  /// Returns the notice at a gateway's start; nil if there is nothing to report.
  ///
  /// `stores` is the notice about the databases. The method stores it in the folder, because only one start detects
  /// that the databases differ.
  static func begin(in folder: GatewayFolder, stores: String?) throws(SystemFailure) -> String? {
    let file = folder.file(FolderBackup.restored)
    let isRestored = FileSystem.exists(file)
    var marker = JSONObject()
    if isRestored {
      let bytes = try FileSystem.readRegularFile(file, limit: bytesMax)
      marker = (try? JSONValue(parsing: bytes))?.objectValue ?? JSONObject()
    }
    if let stores {
      marker[Self.stores] = .string(stores)
      try FileSystem.write(Array((marker.text + "\n").utf8), to: file, mode: 0o600)
    }
    // An unreadable marker comes from a restore, because the notice about the stores is always written completely.
    let isBackup = isRestored && (marker["restoredAt"] != nil || marker[Self.stores] == nil)
    let sentences = [
      isBackup ? backup(marker) : nil, marker[Self.stores]?.stringValue,
    ].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// Removes the notice once a gateway has started.
  static func end(in folder: GatewayFolder) throws(SystemFailure) {
    try FileSystem.remove(folder.file(FolderBackup.restored))
  }

  private static func backup(_ marker: JSONObject) -> String {
    let created = marker["createdAt"]?.stringValue ?? "an unknown time"
    let restored = marker["restoredAt"]?.stringValue ?? "an unknown time"
    return
      "the data folder was restored at \(restored) from a backup of \(created): it contains nothing that was "
      + "accepted, registered, enrolled, created or revoked in between"
  }
}
