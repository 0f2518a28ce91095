import BelfryClient
import Foundation
import Testing

@testable import CallKit

@Suite struct CallCenterTests {
  @Test func `a rejected transaction starts no call`() throws {
    let center = CallCenter(dialogs: .shared)
    let provider = CXProvider(configuration: CXProviderConfiguration(), calls: center)
    defer { withExtendedLifetime(provider) {} }
    let id = UUID()
    func start() -> CXStartCallAction {
      CXStartCallAction(call: id, handle: CXHandle(type: .generic, value: "Anna"))
    }
    let rejected: [(CXAction, CXErrorCodeRequestTransactionError.Code)] = [
      (CXEndCallAction(call: UUID()), .unknownCallUUID), (start(), .callUUIDAlreadyExists),
    ]
    for (action, code) in rejected {
      let error = #expect(throws: CXErrorCodeRequestTransactionError.self) {
        try center.request(CXTransaction(actions: [start(), action]))
      }
      #expect(error?.code == code)
      #expect(center.calls.isEmpty)
    }
    // The identifier is still free.
    try center.request(CXTransaction(action: start()))
  }
}
