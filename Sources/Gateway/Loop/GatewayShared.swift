import BelfryWire
import Storage
import System
import Transport

/// The objects that all loops share; each is immutable or can be used on any thread.
struct GatewayShared: Sendable {
  let configuration: GatewayConfiguration
  let security: ListenerSecurity
  let listeners: any ListenerFactory
  let tokenKeys: [[UInt8]]
  let trustMark: [UInt8]
  /// The number of the cluster whose devices the tokens name.
  let cell: UInt16
  let writer: GroupCommitWriter
  let controlWriter: ControlWriter
  let metrics: GatewayMetrics
  let census: ConnectionCensus
  let faults: FaultRegistry
  let log: Log
  let controlPlane: Mailbox<ControlPlaneMessage>
  /// The objects of a cluster's node; nil if the gateway is not part of a cluster.
  var cluster: ClusterShared?
  let makeDeliveryLog: @Sendable (Int) throws(SystemFailure) -> DeliveryLog
  /// The payloads of the newest pushes; nil if they aren't retained.
  var payloads: DeliveryLogPayloads?
  let randomSeed: UInt64?
  let didStartLoop: (@Sendable (GatewayLoop) -> Void)?

  /// Returns the random number generator for the loop with the number `loop`, or for the control plane if `loop` is -1.
  static func generator(of loop: Int, seed: UInt64?) -> SystemRandom.Generator {
    guard let seed else { return SystemRandom.Generator() }
    return SystemRandom.Generator(
      predictableFrom: seed &+ UInt64(truncatingIfNeeded: loop &+ 1) &* 0xD134_2543_DE82_EF95)
  }
}

/// The mailbox of a loop.
typealias LoopMailbox = Mailbox<LoopMessage>
/// The mailboxes of all loops, by loop number.
typealias LoopPeers = [LoopMailbox]
