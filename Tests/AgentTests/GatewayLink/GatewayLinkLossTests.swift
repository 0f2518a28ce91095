import Foundation
import Testing
import Transport

@testable import Agent

/// Tests of the advice that a device without a link gives to its user.
@Suite struct GatewayLinkLossTests {
  /// Neither a new invitation nor another port helps a device whose certificate the gateway doesn't accept.
  @Test(arguments: ["certificate of an unknown CA", "certificate not accepted"])
  func `a device whose certificate the gateway refuses is advised to remove its identity`(
    reason: String
  ) {
    let loss = GatewayLinkLoss.closed(.tlsFailed("the peer reported: \(reason)"))
    let advice = loss.advice(host: "push.example.org", port: 5_223)
    #expect(advice.contains("remove 'identity'"), "\(advice)")
  }

  @Test func `a device that does not trust the gateway's authority is advised to join again`() {
    let reason = "certificate of an unknown CA: trust the CA that signed it"
    let advice = GatewayLinkLoss.closed(.tlsFailed(reason)).advice(host: "a", port: 5_223)
    // The identity is removed only if the new invitation does not help, because the device then gets a new number.
    let remedies = advice.components(separatedBy: "; if that does not help")
    #expect(remedies.count == 2, "\(advice)")
    #expect(remedies.first?.contains("new invitation") == true, "\(advice)")
    #expect(remedies.first?.contains("identity") == false, "\(advice)")
    #expect(remedies.last?.contains("remove 'identity'") == true, "\(advice)")
  }

  @Test func `a port without the device protocol is named`() {
    let loss = GatewayLinkLoss.closed(.tlsFailed("the peer does not speak TLS"))
    #expect(loss.advice(host: "a", port: 2_197).contains("check the port: 2197"))
  }
}
