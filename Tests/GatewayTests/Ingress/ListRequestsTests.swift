import PushWire
import Testing

@testable import Gateway

@Suite struct ListRequestsTests {
  private var requests: ListRequests {
    var requests = ListRequests()
    for stream: Int32 in [1, 3, 5] {
      let id = NotificationID(high: 0, low: UInt64(stream))
      requests.append(
        ChannelRequest(
          connection: 1, stream: stream, app: 1, call: .list, id: id, uniqueID: id, payload: []))
    }
    return requests
  }

  @Test
  func `one list is asked for at a time, in the order of the requests`() {
    var requests = requests
    var asked: [Int32] = []
    for _ in 0..<4 {
      let next = requests.next(unsentBytes: 0, holdsBody: false) { _ in true }
      let another = requests.next(unsentBytes: 0, holdsBody: false) { _ in true }
      #expect(another == nil)
      if let next {
        asked.append(next.stream)
        requests.answered()
      }
    }
    #expect(asked == [1, 3, 5])
  }

  @Test
  func `nothing is asked for while the client does not read, or gives no window`() {
    var requests = requests
    let most = ListRequests.unsentBytesMax
    #expect(requests.next(unsentBytes: most + 1, holdsBody: false) { _ in true } == nil)
    #expect(requests.next(unsentBytes: 0, holdsBody: true) { _ in true } == nil)
    #expect(requests.next(unsentBytes: most, holdsBody: false) { _ in true }?.stream == 1)
  }

  @Test
  func `requests that were reset are passed over`() {
    var requests = requests
    #expect(requests.next(unsentBytes: 0, holdsBody: false) { $0 == 5 }?.stream == 5)
    requests.answered()
    #expect(requests.next(unsentBytes: 0, holdsBody: false) { _ in true } == nil)
  }
}
