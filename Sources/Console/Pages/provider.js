import { run } from "/console/shell.js";
import * as overview from "/console/registry.js";
import * as campaigns from "/console/campaigns.js";
import * as compose from "/console/compose.js";
import * as registrations from "/console/registrations.js";

run({ "": overview, campaigns, new: compose, devices: registrations }, { service: "provider" });
