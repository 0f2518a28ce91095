import BelfryWire
import System
import Transport

/// How a loop goes down: nothing new is taken, what was accepted is kept or delivered.
extension GatewayLoop {
  func drain() {
    isDraining = true
    for listener in listeners { listener.close() }
    listeners.removeAll()
    for connection in Array(providers.values) { connection.drain() }
    let hint = LinkFrame.ReconnectHint(
      afterMilliseconds: Limits.reconnectMilliseconds,
      jitterMilliseconds: Limits.reconnectJitterMilliseconds)
    for connection in Array(devices.values) {
      connection.drain(hint: hint, milliseconds: Limits.drainMilliseconds)
    }
    core.flush(now: now)
    finishEvent()
    reportIfDrained()
  }

  func reportIfDrained() {
    guard isDraining, !hasReportedDrained, providers.isEmpty, core.isSettled else { return }
    hasReportedDrained = true
    shared.desk.post(.drained(loop: index))
  }

  func stop() {
    keepMarks()
    for connection in Array(providers.values) { connection.close() }
    for connection in Array(devices.values) { connection.end(.draining) }
    loop.stop()
  }
}
