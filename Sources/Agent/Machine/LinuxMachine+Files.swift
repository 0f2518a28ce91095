import AppWire
import Foundation
import System

extension LinuxMachine {
  /// Returns the reason that a file of a new notification cannot be used; nil if all files can be used.
  func refusal(of request: AppRequest) -> AppLinkFailure? {
    switch request {
    case .add(let added): return AttachmentCheck.refusal(added.content.attachments)
    case .control(.notify(let app, let added)):
      // An app that specifies a missing sound gets the default sound (client-api 3.51). A command that specifies a
      // missing sound is refused, because the name is probably a typing error.
      return AttachmentCheck.refusal(added.content.attachments)
        ?? AppID(app).flatMap { soundRefusal(added.content.sound?.name, of: $0) }
    default: return nil
    }
  }

  private func soundRefusal(_ name: String?, of app: AppID) -> AppLinkFailure? {
    guard let name else { return nil }
    let folders = SoundSearch.folders(
      of: app, bundle: daemon?.model.bundlePath(of: app),
      environment: ProcessInfo.processInfo.environment)
    guard SoundSearch.file(name, in: folders) == nil else { return nil }
    return AppLinkFailure(
      .invalidArgument,
      "no sound '\(name)' of \(app): copy the file to \(CommandLineOptions.list(folders)) "
        + "(create the folder if necessary), or use 'default'")
  }
}
