internal import BelfryWire
internal import System

/// The lines of a running gateway's log about administrators' changes.
extension Administration {
  /// Logs a request that was carried out, unless the request changed nothing.
  func logChange(by request: AdministrationRequest, answer: [JSONObject]) {
    guard let log = runtime?.changeLog, let change = request.change else { return }
    guard let member = change.member, let value = answer.first?[member] else {
      return log.info("an administrator \(change.what)")
    }
    log.info("an administrator \(change.what)", ["id": value.stringValue ?? value.text])
  }
}

extension AdministrationRequest {
  /// A description of the change, and the member of the answer that identifies the changed object, if there is one; nil
  /// if the request changes nothing.
  fileprivate var change: (what: String, member: String?)? {
    switch self {
    case .addTeam: ("added a team", "id")
    case .removeTeam: ("removed a team", "id")
    case .addKey: ("added a provider key", "id")
    case .revokeKey: ("revoked a provider key", "id")
    case .addCertificate: ("created a provider certificate", "serial")
    case .revokeCertificate: ("revoked a provider certificate", "serial")
    case .addTopic: ("added or changed an app", "topic")
    case .removeTopic: ("removed an app", "topic")
    case .addUpstream: ("added or changed an upstream", "topic")
    case .removeUpstream: ("removed an upstream", "topic")
    case .addChannel: ("added a channel", "channel")
    case .removeChannel: ("removed a channel", "channel")
    case .revokeDevice: ("revoked a device", "device")
    case .rotateEnrollmentCode: ("rotated the enrollment code", nil)
    case .rotateAuthority: ("added a certificate authority", nil)
    case .finishAuthority: ("retired the previous certificate authority", nil)
    case .rotateTokenKey: ("added a token key", nil)
    case .retireTokenKey: ("retired a token key", nil)
    case .drainNode(let name, _): ("drained the node \(name)", nil)
    case .forgetDamage: ("discarded the damaged rows", nil)
    case .addFault: ("added a fault", "id")
    case .removeFault: ("removed a fault", "id")
    case .clearFaults: ("removed faults", nil)
    case .listTeams, .listKeys, .listUpstreams, .makeProviderToken, .listCertificates, .listTopics,
      .listChannels,
      .listDevices, .listDeviceApps, .enrollmentCode, .listAuthorities, .listTokenKeys, .listNodes,
      .listDamage, .listFaults, .log, .checkPush, .checkDeviceToken, .checkProviderToken:
      nil
    }
  }
}
