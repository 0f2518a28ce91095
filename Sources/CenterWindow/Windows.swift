import BelfryWire
import CGtk

/// The open windows, controlled by the agent's commands.
final class Windows {
  private var dialogs: [String: Dialog] = [:]
  private var center: CenterList?
  private var settings: SettingsList?
  /// The dialog in which the user enters text for a notification in the Notification Center.
  private var textDialog: (request: CenterTextRequest, dialog: Dialog)?
  private let write: (String) -> Void

  /// Creates the set of windows; `write` receives each report as a line without a newline.
  init(write: @escaping (String) -> Void) { self.write = write }

  /// Carries out a command.
  func handle(_ command: WindowCommand) {
    switch command {
    case .show(let content):
      setDirection(content.isRightToLeft)
      if let dialog = dialogs[content.window] {
        dialog.show(content)
      } else {
        dialogs[content.window] = Dialog(content) { [weak self] in self?.onReport($0) }
      }
    case .center(let content):
      setDirection(content.isRightToLeft)
      if let center {
        center.show(content)
      } else {
        center = CenterList(
          content, report: { [weak self] in self?.onReport($0) },
          ask: { [weak self] in self?.ask($0) })
      }
      // The text would no longer reach the app.
      if let textDialog, !content.contains(textDialog.request) { closeTextDialog() }
    case .settings(let content):
      setDirection(content.isRightToLeft)
      if let settings {
        settings.show(content)
      } else {
        settings = SettingsList(content) { [weak self] in self?.onReport($0) }
      }
    case .close(WindowReport.center): closeCenter()
    case .close(WindowReport.settings): closeSettings()
    case .close(let window): dialogs.removeValue(forKey: window)?.close()
    }
  }

  private func setDirection(_ isRightToLeft: Bool) {
    gtk_widget_set_default_direction(
      isRightToLeft ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR)
  }

  private func onReport(_ report: WindowReport) {
    switch report {
    case .closed(WindowReport.center): closeCenter()
    case .closed(WindowReport.settings): closeSettings()
    case .closed(let window): dialogs.removeValue(forKey: window)?.close()
    case .shown, .pressed, .pressedInCenter, .changed: break
    }
    write(report.line)
  }

  private func closeCenter() {
    center?.close()
    center = nil
    closeTextDialog()
  }

  private func closeSettings() {
    settings?.close()
    settings = nil
  }

  private func closeTextDialog() {
    textDialog?.dialog.close()
    textDialog = nil
  }

  /// Asks the user for the text that belongs to a button in the Notification Center.
  private func ask(_ request: CenterTextRequest) {
    closeTextDialog()
    let dialog = Dialog(request.dialog) { [weak self] report in
      guard let self else { return }
      switch report {
      case .pressed(_, let button, let text):
        self.closeTextDialog()
        self.onReport(
          .pressedInCenter(app: request.app, item: request.item, button: button, text: text))
      case .closed: self.closeTextDialog()
      case .shown: self.onReport(.shown(window: CenterTextRequest.window))
      case .pressedInCenter, .changed: break
      }
    }
    textDialog = (request, dialog)
  }
}
