extension Catalogue {
  /// The agent's strings in Simplified Chinese.
  static let simplifiedChinese = Catalogue(
    """
    allow = 允许
    dontAllow = 不允许
    open = 打开
    view = 显示
    close = 关闭
    more = 更多…
    send = 发送
    reply = 回复
    clear = 清除
    clearAll = 全部清除
    keep = 保留
    turnOff = 关闭通知
    destructiveHint = 无法撤销
    askNotifications = “%@”想给你发送通知
    askNotificationsBody = 通知可能包括提醒、声音和图标标记。
    askLocation = 允许“%@”使用你的位置?
    askLocationAlways = 允许“%@”始终使用你的位置?
    hiddenPreview = 通知
    notificationCenter = 通知中心
    noNotifications = 没有通知
    notificationCount.other = %lu 条通知
    notifications = 通知
    notificationsOf = 通知 · %@
    allowNotifications = 允许通知
    alerts = 提醒
    sounds = 声音
    badges = 标记
    alertStyle = 提醒样式
    showPreviews = 显示预览
    onLockScreen = 锁定屏幕
    inNotificationCenter = 通知中心
    timeSensitive = 时效性通知
    criticalAlerts = 重要提醒
    location = 位置
    focus = 专注模式
    noAppAsked = 还没有 App 请求发送通知。
    notAskedYet = 尚未询问
    quietly = 静默
    on = 开
    off = 关
    none = 无
    banner = 横幅
    alert = 提醒
    always = 始终
    whenUnlocked = 解锁时
    never = 从不
    whileInUse = 使用期间
    listKeys = 上/下 选择   回车 打开或更改   q 退出
    switchKeys = 上/下 选择   左/右 更改   esc 返回   q 退出
    centerKeys = 上/下 选择   回车 打开   c 清除   q 退出
    notificationKeys = 上/下 选择   回车 执行   esc 返回   q 退出
    replyKeys = 回车 发送   esc 返回
    """)
}
