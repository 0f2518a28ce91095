import Storage
import System

/// The result of a request to claim a device.
struct ClaimReply: Sendable {
  let device: UInt64
  /// The result; nil if the store failed.
  let result: DeviceClaimResult?
}

/// A writer that claims devices without blocking the event loops.
///
/// Requests that arrive during a transaction share the next transaction.
final class ClaimWriter: Sendable {
  private struct Request: Sendable {
    let claim: DeviceClaimRequest
    let reply: Mailbox<ClaimReply>
  }

  private let inbox: any BatchInbox<Request>
  private let claims: any DeviceClaims

  /// Starts the writer on `runner`.
  init(
    _ claims: any DeviceClaims, on runner: any BatchRunner, log: Log
  ) throws(SystemFailure) {
    self.claims = claims
    inbox = try runner.start(name: "claims") { (requests: [Request]) in
      var rest = requests[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Limits.claimsPerTransactionMax)
        rest = rest.dropFirst(batch.count)
        assert(
          Set(batch.map(\.claim.device)).count == batch.count,
          "a device has one request in progress")
        do throws(StorageFailure) {
          let results = try claims.claim(batch.map(\.claim))
          assert(results.count == batch.count, "each request has one result")
          for (request, result) in zip(batch, results) {
            request.reply.post(ClaimReply(device: request.claim.device, result: result))
          }
        } catch {
          log.storeFailure("cannot claim devices", error)
          for request in batch {
            request.reply.post(ClaimReply(device: request.claim.device, result: nil))
          }
        }
      }
      return false
    }
  }

  /// Claims a device, and posts the result to `reply`.
  ///
  /// A device has at most one request in progress.
  func claim(_ claim: DeviceClaimRequest, reply: Mailbox<ClaimReply>) {
    guard inbox.post(Request(claim: claim, reply: reply)) else {
      return reply.post(ClaimReply(device: claim.device, result: nil))
    }
  }

  /// Forgets the claim on a device that this node no longer needs.
  func forget(_ device: UInt64) { claims.forget(device) }

  /// Answers all requests, then stops.
  func close() { inbox.close() }
}
