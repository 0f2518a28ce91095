import Glibc
import System

/// The folder in which apps' client modules store attachment files, with one folder per app:
/// `belfry/attachments/_APP_ID` in the user's data folder.
///
/// Apps provide the paths, so the agent deletes only files that are directly in the app's own folder.
struct AttachmentStorage {
  private struct File {
    let name: String
    let bytes: Int64
    /// The time when the file was moved into the folder, in seconds since 1970.
    ///
    /// This is the file's change time. A move does not change the modification time.
    let arrival: Int64
  }

  /// The parent folder of all apps' folders.
  let root: String

  private func folder(of app: AppID) -> String { root + "/_" + app.text }

  /// Deletes files of an app; files in other folders, and files that no longer exist, are ignored.
  func delete(_ paths: [String], of app: AppID) {
    let names = paths.compactMap { name(of: $0, of: app) }
    if !names.isEmpty { inFolder(of: app) { descriptor in delete(names, in: descriptor) } }
  }

  /// Deletes all files of an app.
  func deleteAll(of app: AppID) {
    inFolder(of: app) { descriptor in
      delete(files(of: app, in: descriptor).map(\.name), in: descriptor)
    }
    unsafe rmdir(folder(of: app))
  }

  /// Deletes files of an app until the app is within its limits.
  ///
  /// Files that belong to no notification are deleted first, except new files, whose notifications might be about to be
  /// added. The files of the oldest notifications are deleted next.
  ///
  /// `used` contains the paths that belong to notifications, oldest notification first.
  func trim(_ app: AppID, used: [String], atUnixSeconds now: Int64) {
    inFolder(of: app) { descriptor in
      let files = files(of: app, in: descriptor)
      var bytes = files.reduce(0) { $0 + $1.bytes }
      var count = files.count
      let usedNames = used.compactMap { name(of: $0, of: app) }
      let order = Dictionary(
        usedNames.enumerated().map { ($1, $0) }, uniquingKeysWith: { max($0, $1) })
      let unused = files.filter {
        order[$0.name] == nil && $0.arrival + Limits.attachmentGraceSeconds < now
      }
      let old = files.filter { order[$0.name] != nil }
        .sorted { order[$0.name] ?? 0 < order[$1.name] ?? 0 }
      for file in unused.sorted(by: { $0.arrival < $1.arrival }) + old {
        guard bytes > Limits.attachmentBytesPerApp || count > Limits.attachmentFilesPerApp else {
          break
        }
        delete([file.name], in: descriptor)
        bytes -= file.bytes
        count -= 1
      }
    }
  }

  /// Returns the name of a file directly in the app's folder; nil for every other path.
  private func name(of path: String, of app: AppID) -> String? {
    let prefix = folder(of: app) + "/"
    guard path.hasPrefix(prefix) else { return nil }
    let name = String(path.dropFirst(prefix.count))
    return name.isEmpty || name.contains("/") || name == "." || name == ".." ? nil : name
  }

  /// Calls `body` with a descriptor of the app's folder, if the path is a folder and not a link to another folder.
  private func inFolder(of app: AppID, _ body: (Int32) -> Void) {
    let descriptor = unsafe open(folder(of: app), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    body(descriptor)
  }

  private func files(of app: AppID, in descriptor: Int32) -> [File] {
    let names = (try? FileSystem.list(folder(of: app))) ?? []
    return names.sorted().compactMap { name in
      var status = stat()
      let result = unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
      guard result == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return File(name: name, bytes: Int64(status.st_size), arrival: Int64(status.st_ctim.tv_sec))
    }
  }

  private func delete(_ names: [String], in descriptor: Int32) {
    for name in names { unsafe unlinkat(descriptor, name, 0) }
  }
}
