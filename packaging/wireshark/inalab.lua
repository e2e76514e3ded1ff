-- Dissector of the protocols of inalab, for Wireshark and tshark.
-- Generated from the encoders of internal/wire by "go generate ./packaging/wireshark": do not edit.
-- Use it with tshark -X lua_script:inalab.lua, or put it into a folder for plugins.

-- dissect reads one header: fields are {name, field, offset, length, little, first bit, bits}.
local function dissect(p, buf, pinfo, tree)
  local length = buf:reported_len()
  if length < p.header or buf:len() < p.header then
    return 0
  end
  pinfo.cols.protocol = p.short
  local top = tree:add(p.proto, buf(0, p.header))
  local read = {}
  for _, f in ipairs(p.fields) do
    local range = buf(f.offset, f.length)
    if f.little then
      read[f.name] = range:le_uint()
      top:add_le(f.field, range)
    else
      read[f.name] = range:bitfield(f.first, f.bits)
      local item = top:add(f.field, range)
      if f.bias > 0 then
        read[f.name] = read[f.name] + f.bias
        item:append_text(" (" .. read[f.name] .. ")")
      end
    end
  end
  local words = {}
  for _, name in ipairs(p.info) do
    words[#words + 1] = name .. "=" .. tostring(read[name])
  end
  pinfo.cols.info = table.concat(words, " ")
  top:append_text(", " .. table.concat(words, ", "))
  if p.count == nil then
    return buf:len()
  end
  local stated, header = p.count(read, length), p.header
  if p.whole ~= nil then
    header = p.whole(read)
  end
  top:add(p.values, stated):set_generated()
  if header + 4 * stated ~= length then
    top:add_proto_expert_info(p.wrong)
  elseif stated > 0 and buf:len() > header then
    top:add(p.data, buf(header))
  end
  return buf:len()
end

do
  local p = {proto = Proto("ina_trioml", "Trio-ML Aggregation"), short = "TRIOML", header = 12, fields = {}, info = {"job", "gen", "block", "source", "source_count"}}
  p.fields[#p.fields + 1] = {name = "job", offset = 0, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_trioml.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "block", offset = 1, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_trioml.block", "Block", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "age_op", offset = 5, length = 1, little = false, first = 0, bits = 4, bias = 0,
    field = ProtoField.uint8("ina_trioml.age_op", "Age Operation", base.DEC, {[0] = "none", [1] = "aged out", [2] = "source straggles", [3] = "source is taken for dead", [4] = "source is back"}, 0xf0)}
  p.fields[#p.fields + 1] = {name = "final", offset = 5, length = 1, little = false, first = 4, bits = 1, bias = 0,
    field = ProtoField.bool("ina_trioml.final", "Final", 8, nil, 0x08)}
  p.fields[#p.fields + 1] = {name = "degraded", offset = 5, length = 1, little = false, first = 5, bits = 1, bias = 0,
    field = ProtoField.bool("ina_trioml.degraded", "Degraded", 8, nil, 0x04)}
  p.fields[#p.fields + 1] = {name = "source", offset = 6, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_trioml.source", "Source", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "source_count", offset = 7, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_trioml.source_count", "Sources", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "gen", offset = 8, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_trioml.gen", "Generation", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "gradients", offset = 10, length = 2, little = false, first = 4, bits = 12, bias = 0,
    field = ProtoField.uint16("ina_trioml.gradients", "Gradients", base.DEC, nil, 0x0fff)}
  p.values = ProtoField.uint32("ina_trioml.values", "Values", base.DEC)
  p.data = ProtoField.bytes("ina_trioml.data", "Data")
  p.wrong = ProtoExpert.new("ina_trioml.wrong_length", "The values are more or fewer than the header says", expert.group.MALFORMED, expert.severity.ERROR)
  p.count = function(read, length) return math.floor(read.gradients) end
  p.proto.experts = {p.wrong}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field, p.fields[7].field, p.fields[8].field, p.fields[9].field, p.values, p.data}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("udp.port"):add(12000, p.proto)
end

do
  local p = {proto = Proto("ina_switchml", "SwitchML Aggregation"), short = "SWITCHML", header = 10, fields = {}, info = {"job", "slot", "set", "packet"}}
  p.fields[#p.fields + 1] = {name = "type", offset = 0, length = 1, little = false, first = 0, bits = 4, bias = 0,
    field = ProtoField.uint8("ina_switchml.type", "Type", base.DEC, {[1] = "consume"}, 0xf0)}
  p.fields[#p.fields + 1] = {name = "size", offset = 0, length = 1, little = false, first = 5, bits = 3, bias = 0,
    field = ProtoField.uint8("ina_switchml.size", "Size", base.DEC, {[0] = "32 values", [1] = "64 values", [2] = "128 values", [3] = "256 values"}, 0x07)}
  p.fields[#p.fields + 1] = {name = "job", offset = 1, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_switchml.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "packet", offset = 2, length = 4, little = true, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_switchml.packet", "Packet Id", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "set", offset = 6, length = 1, little = false, first = 0, bits = 1, bias = 0,
    field = ProtoField.uint8("ina_switchml.set", "Set", base.DEC, nil, 0x80)}
  p.fields[#p.fields + 1] = {name = "slot", offset = 6, length = 2, little = false, first = 2, bits = 14, bias = 0,
    field = ProtoField.uint16("ina_switchml.slot", "Slot", base.DEC, nil, 0x3fff)}
  p.fields[#p.fields + 1] = {name = "e0", offset = 8, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.int8("ina_switchml.e0", "Exponent 0", base.DEC)}
  p.fields[#p.fields + 1] = {name = "e1", offset = 9, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.int8("ina_switchml.e1", "Exponent 1", base.DEC)}
  p.values = ProtoField.uint32("ina_switchml.values", "Values", base.DEC)
  p.data = ProtoField.bytes("ina_switchml.data", "Data")
  p.wrong = ProtoExpert.new("ina_switchml.wrong_length", "The values are more or fewer than the header says", expert.group.MALFORMED, expert.severity.ERROR)
  p.count = function(read, length) return math.floor(32 * 2 ^ read.size) end
  p.proto.experts = {p.wrong}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field, p.fields[7].field, p.fields[8].field, p.values, p.data}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("udp.port"):add(48864, p.proto)
end

do
  local p = {proto = Proto("ina_atp", "ATP: In-network Aggregation"), short = "ATP", header = 16, fields = {}, info = {"job", "sequence", "aggregator", "bitmap0", "bitmap1"}}
  p.fields[#p.fields + 1] = {name = "bitmap0", offset = 0, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_atp.bitmap0", "Bitmap 0", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "bitmap1", offset = 4, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_atp.bitmap1", "Bitmap 1", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "job", offset = 8, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_atp.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "sequence", offset = 9, length = 3, little = false, first = 0, bits = 24, bias = 0,
    field = ProtoField.uint24("ina_atp.sequence", "Sequence", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "aggregator", offset = 12, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_atp.aggregator", "Aggregator", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "fan_in0", offset = 14, length = 1, little = false, first = 0, bits = 5, bias = 1,
    field = ProtoField.uint8("ina_atp.fan_in0", "Fan-in 0", base.DEC, nil, 0xf8)}
  p.fields[#p.fields + 1] = {name = "fan_in1", offset = 14, length = 2, little = false, first = 5, bits = 5, bias = 1,
    field = ProtoField.uint16("ina_atp.fan_in1", "Fan-in 1", base.DEC, nil, 0x07c0)}
  p.fields[#p.fields + 1] = {name = "resend", offset = 15, length = 1, little = false, first = 2, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.resend", "Resend", 8, nil, 0x20)}
  p.fields[#p.fields + 1] = {name = "collision", offset = 15, length = 1, little = false, first = 3, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.collision", "Collision", 8, nil, 0x10)}
  p.fields[#p.fields + 1] = {name = "ecn", offset = 15, length = 1, little = false, first = 4, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.ecn", "ECN", 8, nil, 0x08)}
  p.fields[#p.fields + 1] = {name = "edge_switch", offset = 15, length = 1, little = false, first = 5, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.edge_switch", "Edge Switch", 8, nil, 0x04)}
  p.fields[#p.fields + 1] = {name = "is_ack", offset = 15, length = 1, little = false, first = 6, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.is_ack", "Parameters", 8, nil, 0x02)}
  p.fields[#p.fields + 1] = {name = "overflow", offset = 15, length = 1, little = false, first = 7, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp.overflow", "Overflow", 8, nil, 0x01)}
  p.values = ProtoField.uint32("ina_atp.values", "Values", base.DEC)
  p.data = ProtoField.bytes("ina_atp.data", "Data")
  p.wrong = ProtoExpert.new("ina_atp.wrong_length", "The values are more or fewer than the header says", expert.group.MALFORMED, expert.severity.ERROR)
  p.count = function(read, length) return math.floor(62) end
  p.proto.experts = {p.wrong}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field, p.fields[7].field, p.fields[8].field, p.fields[9].field, p.fields[10].field, p.fields[11].field, p.fields[12].field, p.fields[13].field, p.values, p.data}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("udp.port"):add(17000, p.proto)
end

do
  local p = {proto = Proto("ina_atp_deep", "ATP: In-network Aggregation at more levels"), short = "ATP_DEEP", header = 24, fields = {}, info = {"job", "sequence", "aggregator", "bitmap0", "bitmap1"}}
  p.fields[#p.fields + 1] = {name = "bitmap0", offset = 0, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_atp_deep.bitmap0", "Bitmap 0", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "bitmap1", offset = 4, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_atp_deep.bitmap1", "Bitmap 1", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "job", offset = 8, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_atp_deep.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "sequence", offset = 9, length = 3, little = false, first = 0, bits = 24, bias = 0,
    field = ProtoField.uint24("ina_atp_deep.sequence", "Sequence", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "aggregator", offset = 12, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_atp_deep.aggregator", "Aggregator", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "fan_in0", offset = 14, length = 1, little = false, first = 0, bits = 5, bias = 1,
    field = ProtoField.uint8("ina_atp_deep.fan_in0", "Fan-in 0", base.DEC, nil, 0xf8)}
  p.fields[#p.fields + 1] = {name = "fan_in1", offset = 14, length = 2, little = false, first = 5, bits = 5, bias = 1,
    field = ProtoField.uint16("ina_atp_deep.fan_in1", "Fan-in 1", base.DEC, nil, 0x07c0)}
  p.fields[#p.fields + 1] = {name = "resend", offset = 15, length = 1, little = false, first = 2, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.resend", "Resend", 8, nil, 0x20)}
  p.fields[#p.fields + 1] = {name = "collision", offset = 15, length = 1, little = false, first = 3, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.collision", "Collision", 8, nil, 0x10)}
  p.fields[#p.fields + 1] = {name = "ecn", offset = 15, length = 1, little = false, first = 4, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.ecn", "ECN", 8, nil, 0x08)}
  p.fields[#p.fields + 1] = {name = "edge_switch", offset = 15, length = 1, little = false, first = 5, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.edge_switch", "Edge Switch", 8, nil, 0x04)}
  p.fields[#p.fields + 1] = {name = "is_ack", offset = 15, length = 1, little = false, first = 6, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.is_ack", "Parameters", 8, nil, 0x02)}
  p.fields[#p.fields + 1] = {name = "overflow", offset = 15, length = 1, little = false, first = 7, bits = 1, bias = 0,
    field = ProtoField.bool("ina_atp_deep.overflow", "Overflow", 8, nil, 0x01)}
  p.fields[#p.fields + 1] = {name = "bitmap2", offset = 16, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_atp_deep.bitmap2", "Bitmap 2", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "fan_in2", offset = 20, length = 1, little = false, first = 0, bits = 5, bias = 1,
    field = ProtoField.uint8("ina_atp_deep.fan_in2", "Fan-in 2", base.DEC, nil, 0xf8)}
  p.fields[#p.fields + 1] = {name = "level", offset = 21, length = 1, little = false, first = 1, bits = 4, bias = 0,
    field = ProtoField.uint8("ina_atp_deep.level", "Level", base.DEC, nil, 0x78)}
  p.fields[#p.fields + 1] = {name = "levels", offset = 20, length = 2, little = false, first = 5, bits = 4, bias = 0,
    field = ProtoField.uint16("ina_atp_deep.levels", "Levels", base.DEC, nil, 0x0780)}
  p.values = ProtoField.uint32("ina_atp_deep.values", "Values", base.DEC)
  p.data = ProtoField.bytes("ina_atp_deep.data", "Data")
  p.wrong = ProtoExpert.new("ina_atp_deep.wrong_length", "The values are more or fewer than the header says", expert.group.MALFORMED, expert.severity.ERROR)
  p.count = function(read, length) return math.floor(62) end
  p.whole = function(read) return 24 + 8 * (read.levels - 3) end
  p.proto.experts = {p.wrong}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field, p.fields[7].field, p.fields[8].field, p.fields[9].field, p.fields[10].field, p.fields[11].field, p.fields[12].field, p.fields[13].field, p.fields[14].field, p.fields[15].field, p.fields[16].field, p.fields[17].field, p.values, p.data}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("udp.port"):add(17001, p.proto)
end

do
  local p = {proto = Proto("ina_xagg", "XAgg Gradients"), short = "XAGG", header = 14, fields = {}, info = {"job", "iteration", "gradient", "host"}}
  p.fields[#p.fields + 1] = {name = "host", offset = 0, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_xagg.host", "Host", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "gradient", offset = 4, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_xagg.gradient", "Gradient", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "job", offset = 8, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_xagg.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "iteration", offset = 10, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_xagg.iteration", "Iteration", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "result", offset = 13, length = 1, little = false, first = 5, bits = 1, bias = 0,
    field = ProtoField.bool("ina_xagg.result", "Result", 8, nil, 0x04)}
  p.fields[#p.fields + 1] = {name = "retransmit", offset = 13, length = 1, little = false, first = 6, bits = 1, bias = 0,
    field = ProtoField.bool("ina_xagg.retransmit", "Retransmitted", 8, nil, 0x02)}
  p.fields[#p.fields + 1] = {name = "end_of_group", offset = 13, length = 1, little = false, first = 7, bits = 1, bias = 0,
    field = ProtoField.bool("ina_xagg.end_of_group", "End of Group", 8, nil, 0x01)}
  p.values = ProtoField.uint32("ina_xagg.values", "Values", base.DEC)
  p.data = ProtoField.bytes("ina_xagg.data", "Data")
  p.wrong = ProtoExpert.new("ina_xagg.wrong_length", "The values are more or fewer than the header says", expert.group.MALFORMED, expert.severity.ERROR)
  p.count = function(read, length) return math.floor((length - 14) / 4) end
  p.proto.experts = {p.wrong}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field, p.fields[7].field, p.values, p.data}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("ip.proto"):add(253, p.proto)
end

do
  local p = {proto = Proto("ina_xaggctl", "XAgg Control"), short = "XAGGCTL", header = 16, fields = {}, info = {"kind", "job", "number"}}
  p.fields[#p.fields + 1] = {name = "kind", offset = 1, length = 1, little = false, first = 0, bits = 8, bias = 0,
    field = ProtoField.uint8("ina_xaggctl.kind", "Kind", base.DEC, {[1] = "request", [2] = "notice", [3] = "lost", [4] = "done", [5] = "complete", [6] = "tree", [7] = "tree-ack", [8] = "report", [9] = "round"})}
  p.fields[#p.fields + 1] = {name = "job", offset = 2, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_xaggctl.job", "Job", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "iteration", offset = 4, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_xaggctl.iteration", "Iteration", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "tree", offset = 6, length = 2, little = false, first = 0, bits = 16, bias = 0,
    field = ProtoField.uint16("ina_xaggctl.tree", "Tree", base.DEC, nil)}
  p.fields[#p.fields + 1] = {name = "host", offset = 8, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_xaggctl.host", "Host", base.HEX, nil)}
  p.fields[#p.fields + 1] = {name = "number", offset = 12, length = 4, little = false, first = 0, bits = 32, bias = 0,
    field = ProtoField.uint32("ina_xaggctl.number", "Number", base.DEC, nil)}
  p.proto.fields = {p.fields[1].field, p.fields[2].field, p.fields[3].field, p.fields[4].field, p.fields[5].field, p.fields[6].field}
  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end
  DissectorTable.get("udp.port"):add(25300, p.proto)
end
