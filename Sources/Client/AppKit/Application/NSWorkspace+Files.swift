import BelfryClient
public import Foundation

extension NSWorkspace {
  /// Shows files in the desktop's file manager by opening their folders (`xdg-open`).
  public func activateFileViewerSelecting(_ fileURLs: [URL]) {
    for folder in Set(fileURLs.filter(\.isFileURL).map { $0.deletingLastPathComponent() }) {
      ExternalURL.open(folder) { _ in }
    }
  }
}
