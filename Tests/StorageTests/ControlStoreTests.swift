import PushWire
import System
import TestSupport
import Testing
import Transport

@testable import Storage

@Suite struct ControlStoreTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test
  func `the SQLite control store does what every control store must`() throws {
    try ControlStoreConformance { try SQLiteControlStore.inMemory() }.check()
  }

  @Test
  func `everything is there after reopening, in a file of mode 0600`() throws {
    let path = folder.file("control.db")
    let everything = ControlStoreConformance { try SQLiteControlStore.inMemory() }.everything
    let store = try SQLiteControlStore(path: path)
    try store.apply(everything)
    store.close()
    #expect(try FileSystem.mode(of: path) == 0o600)
    #expect(throws: StorageFailure.self) { try store.teams() }
    let again = try SQLiteControlStore(path: path)
    #expect(try ControlStoreConformance.contents(again) == Set(everything))
    #expect(try again.setting("enrollment-code") == [1, 2, 3])
    #expect(try again.setting("nothing") == nil)
    // Storing everything again has no effect.
    try again.apply(everything)
    #expect(try ControlStoreConformance.contents(again) == Set(everything))
  }

  @Test
  func `foreign files are refused`() throws {
    let path = folder.file("store.db")
    try SQLiteNotificationStore(path: path).close()
    #expect {
      try SQLiteControlStore(path: path)
    } throws: { error in
      if case StorageFailure.foreign = error { true } else { false }
    }
  }

  @Test
  func `a store path that is not a regular file is named in the error and left unchanged`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("store.sqlite")
    try FileSystem.makeDirectories(path)
    #expect {
      _ = try SQLiteControlStore(path: path)
    } throws: {
      "\($0)".contains("\(path) is not a regular file")
    }
    #expect(FileSystem.isDirectory(path))
  }

  @Test
  func `a scope contains its environments`() {
    #expect(EnvironmentScope.both.contains(.sandbox) && EnvironmentScope.both.contains(.production))
    #expect(EnvironmentScope.sandbox.contains(.sandbox))
    #expect(!EnvironmentScope.sandbox.contains(.production))
    #expect(EnvironmentScope(.production) == .production)
  }

  @Test
  func `a data folder belongs to one process at a time`() throws {
    let path = folder.file("gateway/data")
    var first: DataFolder? = try DataFolder(path)
    #expect(try FileSystem.mode(of: path) == 0o700)
    #expect(first?.file("x") == path + "/x")
    #expect {
      try DataFolder(path)
    } throws: { error in
      if case StorageFailure.busy = error { true } else { false }
    }
    first = nil
    _ = try DataFolder(path)
  }

  @Test
  func `a hundred thousand registrations load in one go`() throws {
    let store = try SQLiteControlStore.inMemory()
    let all = (UInt64(1)...100_000).map { registration($0, generation: 1) }
    try store.apply(all.map { .putRegistration($0) })
    #expect(try store.registrations() == all)
  }

  private func registration(_ device: UInt64, generation: UInt16) -> RegistrationRecord {
    RegistrationRecord(
      key: NotificationKey(device: device, app: 1, kind: 1), generation: generation,
      state: .disabled, changedMilliseconds: 12)
  }
}
