import Gateway
import Storage

/// The agreement of all nodes with the database, after the faults have ended.
extension SimulatedCluster {
  /// A description of the first part of a node's state that differs from the database; nil if there is no difference.
  var difference: String? {
    for gateway in world.gateways {
      guard gateway.isReady, let session = gateway.node?.session,
        let row = database.node(session.number)
      else { return "\(gateway.title) does not run" }
      guard row.epoch == session.epoch, !row.isEnded else {
        return "\(gateway.title) runs, but has ended in the database"
      }
      guard row.applied == database.lastChange else {
        return "\(gateway.title) has applied change \(row.applied) of \(database.lastChange)"
      }
      do throws(StorageFailure) {
        if let difference = try gateway.server?.configurationDifference() {
          return "\(gateway.title) has another state than the database: \(difference)"
        }
        if let difference = try differenceOfDevices(on: gateway, session) {
          return "\(gateway.title) has another state than the database: \(difference)"
        }
      } catch {
        return "\(gateway.title) cannot read the database: \(error)"
      }
    }
    return differenceOfLinks
  }

  /// Compares the devices that a node owns, without revoked devices.
  ///
  /// The list of revoked devices refuses a revoked device's pushes, so its entries in a node's memory have no effect.
  private func differenceOfDevices(
    on gateway: SimulatedGatewayProcess, _ session: SimulatedSession
  ) throws(StorageFailure) -> String? {
    let subscriptions = try database.control.subscriptions()
    for device in database.claims.keys.sorted()
    where session.claims.holdsPresentClaim(on: device)
      && !database.uncertainDevices.contains(device)
      && world.recipient(device)?.mayBeRevoked != true
    {
      let registrations = try database.control.registrations(ofDevice: device)
      for (part, _) in gateway.parts {
        if let difference = part.difference(
          ofClaimed: device, registrations: registrations,
          subscriptions: subscriptions.filter { $0.device == device })
        {
          return difference
        }
      }
    }
    return nil
  }

  /// Compares the claims with the nodes to which the devices are connected.
  private var differenceOfLinks: String? {
    for device in world.devices where device.isUp && !device.mayBeRevoked {
      guard let process = device.process, let session = process.node?.session else { continue }
      let claim = database.claims[device.number]
      // A node that continues after a pause can claim a device for an earlier connection. If its message is lost, the
      // device's present node learns of this claim when it next writes.
      if let claim, claim.node != session.number, claim.link == claim.node { continue }
      guard claim?.node == session.number, claim?.link == session.number else {
        return
          "device \(device.index) is connected to \(process.title), but node \(claim?.node ?? 0) owns it, and "
          + "its link is on node \(claim?.link ?? 0)"
      }
    }
    return nil
  }
}
