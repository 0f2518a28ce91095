import Testing

@testable import Storage

@Suite struct StoreCopyTests {
  @Test func `An error of a copy names the backup instead of its temporary file`() {
    #expect {
      _ = try StoreBackup.Connection(
        "/nonexistent/backup.tar.1.tmp", isThrowaway: true, for: "/nonexistent/backup.tar")
    } throws: { error in
      "\(error)".contains("/nonexistent/backup.tar:") && !"\(error)".contains(".tmp")
    }
  }
}
