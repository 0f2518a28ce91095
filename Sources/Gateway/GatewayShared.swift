import BelfryWire
import Storage
import System
import Transport

/// What every loop knows of the whole gateway.
struct GatewayShared: Sendable {
  let configuration: GatewayConfiguration
  let providerTLS: TLSServerContext
  let legacyTLS: TLSServerContext
  let deviceTLS: TLSServerContext
  let tokenKeys: [[UInt8]]
  let writer: GroupCommitWriter
  let controlWriter: ControlWriter
  let metrics: GatewayMetrics
  let faults: FaultRegistry
  let log: Log
  let desk: Mailbox<ControlPlaneMessage>
}

/// A way into a loop.
typealias LoopMailbox = Mailbox<LoopMessage>
/// The ways into all loops, by their numbers.
typealias LoopPeers = [LoopMailbox]
