/// The localized strings for the notification of an incoming call.
struct CallWords {
  let incomingCall: String
  let incomingVideoCall: String
  let answer: String
  let decline: String

  private init(_ call: String, _ videoCall: String, _ answer: String, _ decline: String) {
    incomingCall = call
    incomingVideoCall = videoCall
    self.answer = answer
    self.decline = decline
  }

  /// Selects the strings in the first of the user's languages that has a translation; falls back to English.
  init(languages: [String]) {
    self =
      languages.lazy.compactMap { tag in
        Self.table[tag.prefix { $0 != "-" && $0 != "_" }.lowercased()]
      }.first ?? .english
  }

  private static let english = CallWords(
    "Incoming call", "Incoming video call", "Answer", "Decline")

  private static let table: [String: CallWords] = [
    "ar": CallWords("مكالمة واردة", "مكالمة فيديو واردة", "رد", "رفض"),
    "de": CallWords("Eingehender Anruf", "Eingehender Videoanruf", "Annehmen", "Ablehnen"),
    "en": english,
    "es": CallWords("Llamada entrante", "Videollamada entrante", "Contestar", "Rechazar"),
    "fr": CallWords("Appel entrant", "Appel vidéo entrant", "Répondre", "Refuser"),
    "it": CallWords("Chiamata in arrivo", "Videochiamata in arrivo", "Rispondi", "Rifiuta"),
    "ja": CallWords("着信", "ビデオ通話の着信", "応答", "拒否"),
    "nl": CallWords("Inkomend gesprek", "Inkomend videogesprek", "Opnemen", "Weigeren"),
    "pl": CallWords(
      "Połączenie przychodzące", "Przychodzące połączenie wideo", "Odbierz", "Odrzuć"),
    "pt": CallWords("Chamada recebida", "Chamada de vídeo recebida", "Atender", "Recusar"),
    "ru": CallWords("Входящий вызов", "Входящий видеовызов", "Ответить", "Отклонить"),
    "uk": CallWords("Вхідний виклик", "Вхідний відеовиклик", "Відповісти", "Відхилити"),
    "zh": CallWords("来电", "视频来电", "接听", "拒绝"),
  ]
}
