// An app that fetches news an hour after the user leaves the app, and cleans up a day later, when a network is
// available.
import BackgroundTasks
import Narration
import UIKit

let refresh = "org.example.news.refresh"
let tidying = "org.example.news.tidying"

func submit(_ request: BGTaskRequest) {
  do {
    try BGTaskScheduler.shared.submit(request)
  } catch { say("\(request.identifier) refused: \((error as NSError).code)") }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say(application.applicationState == .background ? "started behind" : "opened")
    BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh, using: nil) { task in
      task.expirationHandler = { say("refresh has no more time") }
      say("refreshing as \(type(of: task))")
      task.setTaskCompleted(success: true)
    }
    BGTaskScheduler.shared.register(forTaskWithIdentifier: tidying, using: .main) { task in
      // The cleanup takes longer than the time that the system allows.
      task.expirationHandler = {
        say("tidying is cut short")
        task.setTaskCompleted(success: false)
      }
      say("tidying as \(type(of: task))")
    }
    let isKnown = BGTaskScheduler.shared.register(
      forTaskWithIdentifier: "org.example.news.unknown", using: nil
    ) { _ in }
    say("unknown registered \(isKnown)")
    submit(BGAppRefreshTaskRequest(identifier: "org.example.news.unknown"))
    return true
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    let news = BGAppRefreshTaskRequest(identifier: refresh)
    news.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
    submit(news)
    let order = BGProcessingTaskRequest(identifier: tidying)
    order.earliestBeginDate = Date(timeIntervalSinceNow: 86_400)
    order.requiresNetworkConnectivity = true
    submit(order)
    BGTaskScheduler.shared.getPendingTaskRequests { requests in
      say("waiting \(requests.map(\.identifier).sorted().joined(separator: " "))")
    }
  }
}
