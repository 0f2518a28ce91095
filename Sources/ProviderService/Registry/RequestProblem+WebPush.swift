internal import BelfryProvider

extension RequestProblem {
  /// Creates the problem with a Web Push subscription in a registration.
  init(fault: WebPushFault) {
    switch fault {
    case .endpointInvalid:
      self.init("endpoint", "not a valid https URL", do: "send the endpoint of the subscription")
    case .keysMissing:
      self.init(
        "keys", "missing", do: "send the JSON object of the subscription, which contains both keys")
    case .pointInvalid:
      self.init("p256dh", "invalid value", do: "expected 87 characters in base64url")
    case .authInvalid:
      self.init("auth", "invalid value", do: "expected 22 characters in base64url")
    default:
      self.init(
        "endpoint", fault.description, do: "send the JSON object of the browser's subscription")
    }
  }
}
