extension Catalogue {
  /// The agent's strings in Japanese.
  static let japanese = Catalogue(
    """
    allow = 許可
    dontAllow = 許可しない
    open = 開く
    view = 表示
    close = 閉じる
    more = その他…
    send = 送信
    reply = 返信
    clear = 消去
    clearAll = すべて消去
    keep = 続ける
    turnOff = オフにする
    destructiveHint = 取り消せません
    askNotifications = “%@”は通知を送信します。よろしいですか?
    askNotificationsBody = 通知方法は、テキスト、サウンド、アイコンバッジが利用できる可能性があります。
    askLocation = “%@”に位置情報の使用を許可しますか?
    askLocationAlways = “%@”に位置情報の常時使用を許可しますか?
    hiddenPreview = 通知
    notificationCenter = 通知センター
    noNotifications = 通知はありません
    notificationCount.other = %lu件の通知
    notifications = 通知
    notificationsOf = 通知 · %@
    allowNotifications = 通知を許可
    alerts = 通知表示
    sounds = サウンド
    badges = バッジ
    alertStyle = 通知スタイル
    showPreviews = プレビューを表示
    onLockScreen = ロック画面
    inNotificationCenter = 通知センター
    timeSensitive = 即時通知
    criticalAlerts = 重大な通知
    location = 位置情報
    focus = 集中モード
    noAppAsked = 通知を求めたアプリはまだありません。
    notAskedYet = 未確認
    quietly = 目立たない形で
    on = オン
    off = オフ
    none = なし
    banner = バナー
    alert = 通知パネル
    always = 常に
    whenUnlocked = ロック解除時
    never = しない
    whileInUse = 使用中のみ
    listKeys = 上/下 選択   enter 開く・変更   q 終了
    switchKeys = 上/下 選択   左/右 変更   esc 戻る   q 終了
    centerKeys = 上/下 選択   enter 開く   c 消去   q 終了
    notificationKeys = 上/下 選択   enter 実行   esc 戻る   q 終了
    replyKeys = enter 送信   esc 戻る
    """)
}
