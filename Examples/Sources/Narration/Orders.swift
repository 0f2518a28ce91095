import Foundation

/// Calls the handler on the main queue with each line of standard input.
public func onOrder(_ handler: @escaping @MainActor (String) -> Void) {
  Thread.detachNewThread {
    while let order = readLine() {
      DispatchQueue.main.async { MainActor.assumeIsolated { handler(order) } }
    }
  }
}
