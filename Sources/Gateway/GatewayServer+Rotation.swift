import Storage
import System

extension GatewayServer {
  /// Reloads the keys that an administrator has rotated in the folder, and sends them to the loops before the
  /// administrator receives an answer.
  func onRotation(in changes: [ControlChange]) {
    for case .putSetting(let name, _) in changes {
      switch name {
      case ControlSetting.authority:
        if let security = certificates?.reload(configuration) { show(security) }
      case ControlSetting.tokenKeys:
        if let keys = try? folder.tokenKeys() { controlPlane.use(tokenKeys: keys) }
      default: continue
      }
    }
  }
}
