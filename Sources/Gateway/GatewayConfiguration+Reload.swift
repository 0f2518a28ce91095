extension GatewayConfiguration {
  /// Returns this configuration with the values from `new` that a running gateway can apply, and the names of the
  /// changed options that it can't apply.
  func following(_ new: GatewayConfiguration) -> (configuration: Self, needRestart: [String]) {
    var followed = self
    followed.names = new.names
    followed.serverCertificate = new.serverCertificate
    followed.enrollment = new.enrollment
    followed.enrollmentsPerMinute = new.enrollmentsPerMinute
    followed.apps = new.apps
    followed.deviceRate = new.deviceRate
    followed.connectionRate = new.connectionRate
    followed.teamRate = new.teamRate
    followed.providerErrors = new.providerErrors
    assert(
      followed.folder == folder && followed.loops == loops,
      "a reload does not change the folder or the number of loops")
    let fixed: [(String, Bool)] = [
      ("data", folder == new.folder), ("host", host == new.host),
      ("environment", environment == new.environment),
      ("provider-port", ports.providers == new.ports.providers),
      ("device-port", ports.device == new.ports.device),
      ("binary-port", ports.binary == new.ports.binary),
      ("feedback-port", ports.feedback == new.ports.feedback),
      ("insecure-provider-port", ports.insecureProvider == new.ports.insecureProvider),
      ("web-push-port", ports.webPush == new.ports.webPush),
      ("insecure-web-push-port", ports.insecureWebPush == new.ports.insecureWebPush),
      ("web-push-origin", webPushOrigin == new.webPushOrigin),
      ("web-push-dialect", webPushDialect == new.webPushDialect),
      ("es512", acceptsES512 == new.acceptsES512),
      ("record-layer", takesOverRecords == new.takesOverRecords),
      ("http2", usesOwnHTTP2 == new.usesOwnHTTP2), ("store", store == new.store),
      ("bus", cluster?.summary == new.cluster?.summary),
      ("loops", loops == new.loops), ("log-payloads", loggedPayloads == new.loggedPayloads),
    ]
    return (followed, fixed.filter { !$0.1 }.map(\.0))
  }
}
