import Glibc
import Storage
import System
import Testing

@testable import Gateway

@Suite struct AdministrationFailureTests {
  @Test(
    arguments: [
      (
        .unreachable(server: "db", why: "cannot connect: no such file"),
        "cannot use the database db (cannot connect: no such file)",
        "check the URL, the password file and the server"
      ),
      (
        .system(.call(name: "open", errno: EROFS, subject: "/a")),
        "cannot open /a: read-only file system",
        "remount the file system read-write, or choose a writable location"
      ),
      (.missing(what: "team T"), "team T does not exist", "check the gateway's log"),
    ] as [(StorageFailure, String, String)])
  func `a storage failure is split only before its remedy`(
    failure: StorageFailure, what: String, advice: String
  ) {
    let split = AdministrationFailure(failure)
    #expect(split.what == what)
    #expect(split.advice == advice)
  }
}
