import AppLink
import AppWire
import Synchronization
import TestSupport
import Testing

@Suite struct AppLinkConnectionTests {
  @Test
  func `requests that wait for an agent are refused before they fill the app's memory`() throws {
    let folder = try ScratchFolder()
    // The connection is not started, so its requests do not expire.
    let connection = AppLinkConnection(
      socketPath: folder.file("none.sock"), hello: { AppHello(appID: "a.b") }, handler: { _ in })
    defer { connection.close() }
    // The queue has room for 64 MiB, both of attached bytes and of JSON.
    var content = NotificationContent()
    content.archive = [UInt8](repeating: 7, count: 63 << 20)
    let id = String(repeating: "n", count: 1 << 20)
    let refused = Atomic(0)
    let requests: [AppRequest] = [
      .add(NotificationRequest(id: "n", content: content)), .removePending([id]),
      .removePending([id]), .removePending([id]),
    ]
    for request in requests {
      connection.send(request) { _ in refused.add(1, ordering: .relaxed) }
    }
    #expect(refused.load(ordering: .relaxed) == 2)
  }
}
