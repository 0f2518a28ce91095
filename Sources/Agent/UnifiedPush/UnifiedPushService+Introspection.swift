extension UnifiedPushService {
  /// The description of the object, in which KUnifiedPush looks for the name of the interface (webpush 2.5).
  static let introspection = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
     <interface name="org.freedesktop.DBus.Introspectable">
      <method name="Introspect"><arg name="xml_data" type="s" direction="out"/></method>
     </interface>
     <interface name="org.freedesktop.DBus.Peer">
      <method name="Ping"/>
      <method name="GetMachineId"><arg name="machine_uuid" type="s" direction="out"/></method>
     </interface>
     <interface name="org.unifiedpush.Distributor1">
      <method name="Register">
       <arg name="serviceName" type="s" direction="in"/>
       <arg name="token" type="s" direction="in"/>
       <arg name="description" type="s" direction="in"/>
       <arg name="registrationResult" type="s" direction="out"/>
       <arg name="registrationResultReason" type="s" direction="out"/>
      </method>
      <method name="Unregister">
       <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
       <arg name="token" type="s" direction="in"/>
      </method>
     </interface>
     <interface name="org.unifiedpush.Distributor2">
      <method name="Register">
       <arg name="args" type="a{sv}" direction="in"/>
       <arg name="result" type="a{sv}" direction="out"/>
      </method>
      <method name="Unregister">
       <arg name="args" type="a{sv}" direction="in"/>
       <arg name="result" type="a{sv}" direction="out"/>
      </method>
     </interface>
    </node>
    """
}
