import BelfryWire
import Storage
import System

/// The delivery log in a gateway's folder, for loops that aren't running.
///
/// Calls block and can be made on any thread.
struct StoredDeliveryLog: Sendable {
  let folder: GatewayFolder
  let store: any ControlStore
  let environment: BelfryWire.Environment

  /// Returns the lines of all loops, starting with loop number `first`; unreadable files are omitted.
  func lines(of query: DeliveryLogQuery, fromLoop first: Int) -> [DeliveryLogLine] {
    var logs: [DeliveryLog] = []
    var loop = first
    while FileSystem.exists(folder.deliveryLogFile(loop: loop)) {
      let path = folder.deliveryLogFile(loop: loop)
      if let log = try? DeliveryLog(reading: path, capacity: Limits.deliveryLogLines) {
        logs.append(log)
      }
      loop += 1
    }
    guard !logs.isEmpty, let keys = try? folder.tokenKeys(),
      let cell = try? ControlSetting.cell(in: store),
      let tokens = try? DeviceTokenCodec(keys: keys, environment: environment, cell: cell),
      let apps = try? store.apps()
    else { return [] }
    let names = Dictionary(apps.map { ($0.number, $0.bundleID) }) { first, _ in first }
    let matches = query.matcher(tokens)
    return logs.flatMap { $0.lines(where: matches) }
      .sorted { $0.atMilliseconds < $1.atMilliseconds }
      .map { DeliveryLogLine($0, bundleID: names[$0.key.app]) }
  }
}
