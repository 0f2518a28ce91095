// A content extension that shows DailyDish's notification in a custom interface.
import UIKit
import UserNotificationsUI

@main
final class NotificationViewController: UIViewController, UNNotificationContentExtension {
  let name = UILabel()
  let picture = UIImageView()
  let parts = UILabel()
  let wish = UILabel()

  override func viewDidLoad() {
    super.viewDidLoad()
    parts.isHidden = true
    for part in [name, picture, parts, wish] { view.addSubview(part) }
  }

  func didReceive(_ notification: UNNotification) {
    let content = notification.request.content
    name.text = content.userInfo["dish"] as? String
    parts.text = content.userInfo["parts"] as? String
    guard let file = content.attachments.first?.url, file.startAccessingSecurityScopedResource()
    else { return }
    picture.image = UIImage(contentsOfFile: file.path)
    file.stopAccessingSecurityScopedResource()
  }

  func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
  ) {
    switch response.actionIdentifier {
    case "MORE":
      parts.isHidden = false
      completion(.doNotDismiss)
    case "WISH":
      wish.text = "Wish: \((response as? UNTextInputNotificationResponse)?.userText ?? "")"
      completion(.doNotDismiss)
    case "LATER": completion(.dismiss)
    default: completion(.dismissAndForwardAction)
    }
  }
}
