internal import Console
internal import Agent
internal import BelfryWire
internal import Foundation
public import Gateway
internal import Synchronization
internal import System
internal import Transport

/// The virtual phones of a gateway, each with its own folder in the gateway's folder.
///
/// The methods can be called on any thread.
public final class VirtualPhones: Sendable {
  private let host: String
  private let port: UInt16
  private let folder: GatewayFolder
  private let phones = Mutex<[Int: VirtualPhone]>([:])
  /// A lock that is held while a phone is turned on or off, so that only one phone changes at a time.
  private let turn = Mutex(())

  /// Creates the phones of a gateway; `host` and `port` are the address of its device port.
  public init(host: String, port: UInt16, folder: GatewayFolder) {
    self.host = SocketAddress.hostOnThisMachine(ofListener: host)
    self.port = port
    self.folder = folder
  }

  /// Turns all phones off.
  public func close() {
    let phones = phones.withLock { phones in
      defer { phones = [:] }
      return Array(phones.values)
    }
    for phone in phones { phone.turnOff() }
  }

  /// Answers a request to `/api/phones…`.
  func answer(_ request: HTTP1Request, _ administration: Administration)
    throws(AdministrationFailure) -> HTTP1Response
  {
    let parts = request.path.split(separator: "/").dropFirst(2).map(String.init)
    let number = try parts.first.map(Self.number)
    switch (request.method, number, parts.dropFirst().first) {
    case ("GET", nil, _): return .lines(list)
    case ("POST", nil, _):
      guard let number = nextNumber else {
        throw AdministrationFailure(
          .conflict, "limit of \(Limits.phones) phones reached", do: "delete one first")
      }
      return .lines([try turnOn(number, administration)])
    case ("POST", let number?, nil): return .lines([try turnOn(number, administration)])
    case ("DELETE", let number?, nil):
      try remove(number, administration)
      return .lines([])
    case ("GET", let number?, "events"):
      return HTTP1Response(
        status: 200, fields: [("content-type", EventStream.type)],
        body: .stream(try phone(number).events.stream()))
    case ("POST", let number?, "off"):
      turnOff(number)
      return .lines(list)
    case ("POST", let number?, "do"):
      try phone(number).perform(PhoneCommand(try AdminRouter.object(in: request) ?? [:]))
      return .lines([])
    default:
      return .failure(
        "unknown request: \(request.method) \(request.path)", "see docs/admin-api.md",
        status: 404)
    }
  }

  private static func number(_ text: String) throws(AdministrationFailure) -> Int {
    guard let number = Int(text), (1...Limits.phones).contains(number) else {
      throw AdministrationFailure(
        .missing, "unknown phone '\(text)'", do: "use a number from 1 to \(Limits.phones)")
    }
    return number
  }

  private func phone(_ number: Int) throws(AdministrationFailure) -> VirtualPhone {
    guard let phone = phones.withLock({ $0[number] }) else {
      throw AdministrationFailure(.conflict, "phone \(number) is off", do: "turn it on")
    }
    return phone
  }

  private var list: [JSONObject] {
    let on = phones.withLock { Set($0.keys) }
    return (1...Limits.phones).filter { on.contains($0) || FileSystem.exists(dataFolder($0)) }
      .map { ["phone": .integer(Int64($0)), "on": .bool(on.contains($0))] }
  }

  /// The lowest unused phone number; nil if all numbers are in use.
  private var nextNumber: Int? {
    let used = Set(list.compactMap { $0["phone"]?.integerValue })
    return (1...Limits.phones).first { !used.contains(Int64($0)) }
  }

  private func dataFolder(_ number: Int) -> String { folder.file("phones/\(number)") }

  private func turnOn(
    _ number: Int, _ administration: Administration
  ) throws(AdministrationFailure) -> JSONObject {
    guard administration.environmentName == "sandbox" else {
      throw AdministrationFailure(
        .conflict, "virtual phones require a sandbox gateway",
        do: "use a sandbox gateway, or 'belfry device run'")
    }
    let code = try administration.perform(.enrollmentCode).first?["code"]?.stringValue ?? ""
    let authority: [UInt8]
    do {
      authority = try FileSystem.readRegularFile(folder.authorityFile, limit: Limits.fileBytes)
    } catch {
      throw AdministrationFailure(.broken, "cannot read the CA certificate", do: "\(error)")
    }
    let made: Result<Void, AdministrationFailure> = turn.withLock { _ in
      guard phones.withLock({ $0[number] }) == nil else { return .success(()) }
      do throws(AdministrationFailure) {
        let phone = try VirtualPhone(
          number: number, folder: dataFolder(number),
          gateway: AgentConfiguration.Gateway(
            host: host, port: port, authorityPEM: authority, enrollmentCode: code))
        phones.withLock { $0[number] = phone }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try made.get()
    return ["phone": .integer(Int64(number)), "on": true]
  }

  private func turnOff(_ number: Int) {
    turn.withLock { _ in
      phones.withLock { $0.removeValue(forKey: number) }?.turnOff()
    }
  }

  /// Deletes a phone.
  ///
  /// The phone's apps are removed while the phone is still on, so that their tokens are invalidated.
  private func remove(
    _ number: Int, _ administration: Administration
  ) throws(AdministrationFailure) {
    phones.withLock { $0[number] }?.removeApps()
    turnOff(number)
    guard FileSystem.exists(dataFolder(number)) else { return }
    do {
      try FileManager.default.removeItem(atPath: dataFolder(number))
    } catch {
      throw AdministrationFailure(
        .broken, "cannot delete the phone's folder \(dataFolder(number))", do: "delete it manually")
    }
  }
}
