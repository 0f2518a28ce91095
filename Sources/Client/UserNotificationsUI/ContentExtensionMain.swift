import AppLink
import BelfryClient
import BelfryWire
import AppWire
import Foundation
public import UIKit
import UserNotifications

extension UNNotificationContentExtension where Self: UIViewController {
  /// Runs the extension's process, which the agent starts for one notification.
  ///
  /// To use this method, mark the view controller with `@main`, or call the method in `main.swift`, for example as
  /// `NotificationViewController.main()`.
  public static func main() { ContentExtensionProcess.run(self) }
}

/// The process of a content extension, which exists while its notification's window is open.
@MainActor
enum ContentExtensionProcess {
  typealias Controller = UIViewController & UNNotificationContentExtension

  /// The context of the view controller; nil if this process is not a content extension.
  private(set) static var context: NSExtensionContext?
  private static var controller: (any Controller)?
  private static var pictures = StoredPictures()
  private static var isDrawingDue = false
  private static var lastDrawing: NotificationDrawing?

  static func run(_ type: any Controller.Type) -> Never {
    let session = AgentSession.shared
    session.declare(role: .contentExtension)
    session.listen(as: .contentExtension) { event, question in handle(event, question, type) }
    session.connect()
    ApplicationRunLoop.run {}
  }

  private static func handle(
    _ event: AppEvent, _ question: AppLinkQuestion?, _ type: any Controller.Type
  ) -> Bool {
    switch event {
    case .showContent(let notification): show(notification, type)
    case .contentAction(let response): act(response, question)
    default: return false
    }
    return true
  }

  private static func show(_ notification: DeliveredNotification, _ type: any Controller.Type) {
    if controller == nil {
      context = NSExtensionContext(actions: actions(of: notification))
      controller = NewObject.make(type) as? any Controller
      UIView.onContentChange = { drawSoon() }
    }
    guard let controller else { return }
    controller.loadViewIfNeeded()
    controller.didReceive(UNNotification(notification))
    drawSoon()
  }

  /// Returns the notification's own actions; if it has no actions of its own, the actions of its category.
  private static func actions(of notification: DeliveredNotification) -> [UNNotificationAction] {
    let content = notification.request.content
    let answer = try? AgentSession.shared.call(.categories)
    let category = (try? answer?.categories())?.first { $0.id == content.category }
    return (content.actions ?? category?.actions ?? []).map(UNNotificationAction.make)
  }

  private static func act(
    _ response: AppWire.NotificationResponse, _ question: AppLinkQuestion?
  ) {
    let answer = CallOnce<UNNotificationContentExtensionResponseOption> { option in
      // Draw before replying, so that the window already shows the changes that the action made.
      DispatchQueue.main.async {
        MainActor.assumeIsolated { () -> Void in draw() }
        question?.reply(.contentOption(option.wire))
      }
    }
    controller?.didReceive(UNNotificationResponse.make(response)) { answer.call($0) }
  }

  // MARK: - Drawing

  /// Schedules a drawing of the view; several changes in one iteration of the run loop share a single drawing.
  static func drawSoon() {
    guard !isDrawingDue else { return }
    isDrawingDue = true
    DispatchQueue.main.async { MainActor.assumeIsolated { () -> Void in draw() } }
  }

  private static func draw() {
    isDrawingDue = false
    guard let view = controller?.view else { return }
    var items: [NotificationDrawing.Item] = []
    collect(view, &items)
    let drawing = NotificationDrawing(
      items: Array(items.prefix(WireLimits.drawingItemsMax)),
      actions: context?.changedActions?.map(\.wire))
    guard drawing != lastDrawing else { return }
    lastDrawing = drawing
    pictures.retain(drawing.paths)
    AgentSession.shared.send(.setDrawing(drawing))
  }

  /// Collects the text and images of a view and its subviews, in order.
  private static func collect(_ view: UIView, _ items: inout [NotificationDrawing.Item]) {
    guard !view.isHidden, view.alpha > 0 else { return }
    switch view {
    case let label as UILabel: append(label.text, &items)
    case let text as UITextView: append(text.text, &items)
    case let picture as UIImageView:
      if let path = picture.image.flatMap({ pictures.path(of: $0) }) {
        items.append(.picture(path: path))
      }
    default: break
    }
    for subview in view.subviews { collect(subview, &items) }
  }

  private static func append(_ text: String?, _ items: inout [NotificationDrawing.Item]) {
    if let text, !text.isEmpty { items.append(.text(text)) }
  }
}

/// The files of the images that the view shows.
///
/// The agent deletes the files of images that are no longer shown.
@MainActor
struct StoredPictures {
  private var paths: [ObjectIdentifier: (image: UIImage, path: String)] = [:]

  /// Returns the path of an image's file, which is written on first use; nil if the image has no bytes or the file
  /// cannot be written.
  mutating func path(of image: UIImage) -> String? {
    if let known = paths[ObjectIdentifier(image)] { return known.path }
    guard !image.bytes.isEmpty, let path = AttachmentStore.shared.store(image.bytes) else {
      return nil
    }
    paths[ObjectIdentifier(image)] = (image, path)
    return path
  }

  /// Forgets the files of images that are no longer shown.
  mutating func retain(_ shown: [String]) { paths = paths.filter { shown.contains($0.value.path) } }
}

extension UNNotificationContentExtensionResponseOption {
  var wire: ContentExtensionOption {
    switch self {
    case .doNotDismiss: .doNotDismiss
    case .dismiss: .dismiss
    case .dismissAndForwardAction: .dismissAndForwardAction
    }
  }
}
