/// The lifecycle of a provider connection, from its first byte until it closes.
///
/// The lifecycle is a value that performs no I/O: the connection passes in events and carries out the returned actions.
struct ProviderLifecycle {
  private enum State: Equatable {
    /// Requests are accepted.
    case serving
    /// The client has finished sending; its open requests are still answered.
    case answering
    /// A script is closing the connection: requests up to this stream are answered, and then GOAWAY is sent.
    case finishing(lastStreamID: Int32)
    /// GOAWAY was sent; open requests are still answered.
    case leaving
    /// The remaining output is being written, and then the connection closes.
    case closing
    /// The connection closes at the end of the turn, without writing its remaining output.
    case aborting
  }

  /// An event in the life of the connection.
  enum Event: Equatable {
    /// The connection must accept no more requests, for example, because the gateway is shutting down.
    case leave
    /// The connection broke a rule or is idle, and must close without waiting for open requests.
    case expel
    /// The HTTP/2 codec failed; its output tells the client the reason.
    case codecFailed
    /// The client doesn't read, so nothing can be sent to it.
    case unresponsive
    /// A script sends GOAWAY after the request on this stream.
    case scriptedGoAway(lastStreamID: Int32)
    /// A script closes the connection.
    case scriptedClose
    /// The client has finished sending.
    case inputEnded
    /// The turn is ending, and the output hasn't been written yet.
    case turnEnded(openRequests: Int)
    /// The output was written.
    case outputWritten(openRequests: Int, codecIsFinished: Bool)
  }

  /// The action that the connection carries out.
  enum Action: Equatable {
    case none
    /// Send GOAWAY; it admits the requests up to the given stream or, if the stream is nil, every request that has
    /// begun.
    case sendGoAway(lastStreamID: Int32?)
    /// Close the stream once its output is sent.
    case close
    /// Close the stream immediately.
    case abort
  }

  private var state = State.serving

  /// True if bytes from the client are still handled.
  var readsInput: Bool {
    switch state {
    case .serving, .answering, .finishing, .leaving: true
    case .closing, .aborting: false
    }
  }

  /// True if the connection still decides on requests.
  var decidesRequests: Bool { state != .aborting }

  /// True if the client was told, or is about to be told, to make no more requests.
  var isLeaving: Bool {
    switch state {
    case .serving, .answering: false
    case .finishing, .leaving, .closing, .aborting: true
    }
  }

  /// Handles an event; returns the action to carry out.
  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .leave: leave()
    case .expel: expel()
    case .codecFailed: codecFailed()
    case .unresponsive: abort()
    case .scriptedGoAway(let lastStreamID): finish(lastStreamID)
    case .scriptedClose: scheduleAbort()
    case .inputEnded: inputEnded()
    case .turnEnded(let openRequests): turnEnded(openRequests)
    case .outputWritten(let openRequests, let codecIsFinished):
      outputWritten(openRequests, codecIsFinished)
    }
  }

  private mutating func leave() -> Action {
    switch state {
    case .serving, .answering:
      state = .leaving
      return .sendGoAway(lastStreamID: nil)
    case .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func expel() -> Action {
    switch state {
    case .serving, .answering, .finishing, .leaving:
      state = .closing
      return .sendGoAway(lastStreamID: nil)
    case .closing, .aborting:
      return .none
    }
  }

  private mutating func codecFailed() -> Action {
    switch state {
    case .serving, .answering, .finishing, .leaving:
      state = .closing
      return .none
    case .closing, .aborting:
      return .none
    }
  }

  private mutating func abort() -> Action {
    state = .aborting
    return .abort
  }

  private mutating func finish(_ lastStreamID: Int32) -> Action {
    switch state {
    case .serving, .answering:
      state = .finishing(lastStreamID: lastStreamID)
      return .none
    case .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func scheduleAbort() -> Action {
    state = .aborting
    return .none
  }

  private mutating func inputEnded() -> Action {
    switch state {
    case .serving:
      state = .answering
      return .none
    case .answering, .finishing, .leaving, .closing, .aborting:
      return .none
    }
  }

  private mutating func turnEnded(_ openRequests: Int) -> Action {
    switch state {
    case .finishing(let lastStreamID) where openRequests == 0:
      state = .leaving
      return .sendGoAway(lastStreamID: lastStreamID)
    case .aborting:
      return .abort
    case .serving, .answering, .finishing, .leaving, .closing:
      return .none
    }
  }

  private mutating func outputWritten(_ openRequests: Int, _ codecIsFinished: Bool) -> Action {
    assert(state != .aborting, "an aborted connection writes no output")
    switch state {
    case .closing:
      return .close
    case .answering where openRequests == 0, .leaving where openRequests == 0:
      state = .closing
      return .close
    case .serving, .answering, .finishing, .leaving:
      guard codecIsFinished else { return .none }
      state = .closing
      return .close
    case .aborting:
      return .abort
    }
  }
}
