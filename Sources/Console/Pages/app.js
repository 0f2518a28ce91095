import { run } from "/console/shell.js";
import * as overview from "/console/overview.js";
import * as send from "/console/send.js";
import * as log from "/console/log.js";
import * as devices from "/console/devices.js";
import * as phone from "/console/phone.js";
import * as apps from "/console/apps.js";
import * as metrics from "/console/metrics.js";
import * as tools from "/console/tools.js";

run({ "": overview, send, log, devices, phone, metrics, manage: apps, tools }, { service: "gateway" });
