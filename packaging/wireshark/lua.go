package wireshark

import (
	"fmt"
	"strconv"
	"strings"
)

func decimalText(n int) string { return strconv.Itoa(n) }

// Lua returns the dissector. It panics where an encoder does not put a field into bits of its
// own, which a test would find.
func Lua() string {
	var b strings.Builder
	b.WriteString(head)
	for _, p := range protocols() {
		p.write(&b)
	}
	return b.String()
}

// head is what all protocols share.
const head = `-- Dissector of the protocols of inalab, for Wireshark and tshark.
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
`

// write writes one protocol.
func (p *protocol) write(b *strings.Builder) {
	fmt.Fprintf(b, "\ndo\n  local p = {proto = Proto(%q, %q), short = %q, header = %d, fields = {}, info = {%s}}\n",
		p.name, p.label, strings.ToUpper(strings.TrimPrefix(p.name, "ina_")), p.header, quoted(p.info))
	var names []string
	for i := range p.fields {
		p.field(b, &p.fields[i])
		names = append(names, "p.fields["+decimalText(i+1)+"].field")
	}
	if p.count != "" {
		fmt.Fprintf(b, "  p.values = ProtoField.uint32(%q, \"Values\", base.DEC)\n", p.name+".values")
		fmt.Fprintf(b, "  p.data = ProtoField.bytes(%q, \"Data\")\n", p.name+".data")
		fmt.Fprintf(b, "  p.wrong = ProtoExpert.new(%q, \"The values are more or fewer than the header says\", expert.group.MALFORMED, expert.severity.ERROR)\n", p.name+".wrong_length")
		fmt.Fprintf(b, "  p.count = function(read, length) return math.floor(%s) end\n", p.count)
		if p.whole != "" {
			fmt.Fprintf(b, "  p.whole = function(read) return %s end\n", p.whole)
		}
		b.WriteString("  p.proto.experts = {p.wrong}\n")
		names = append(names, "p.values", "p.data")
	}
	fmt.Fprintf(b, "  p.proto.fields = {%s}\n", strings.Join(names, ", "))
	b.WriteString("  function p.proto.dissector(buf, pinfo, tree) return dissect(p, buf, pinfo, tree) end\n")
	for _, n := range p.numbers {
		fmt.Fprintf(b, "  DissectorTable.get(%q):add(%d, p.proto)\n", p.table, n)
	}
	b.WriteString("end\n")
}

// field writes one field.
func (p *protocol) field(b *strings.Builder, f *field) {
	at, err := f.probe()
	if err != nil {
		panic(p.name + ": " + err.Error())
	}
	first := 0
	for bit := 8*at.length - 1; bit >= 0 && at.mask>>bit&1 == 0; bit-- {
		first++
	}
	fmt.Fprintf(b, "  p.fields[#p.fields + 1] = {name = %q, offset = %d, length = %d, little = %t, first = %d, bits = %d, bias = %d,\n    field = %s}\n",
		f.name, at.offset, at.length, at.little, first, f.width, f.bias, p.protoField(f, at))
}

// protoField is the field as Wireshark knows it.
func (p *protocol) protoField(f *field, at place) string {
	name := p.name + "." + f.name
	mask := ""
	if !at.whole() {
		mask = fmt.Sprintf(", 0x%0*x", 2*at.length, at.mask)
	}
	switch f.kind {
	case flag:
		return fmt.Sprintf("ProtoField.bool(%q, %q, %d, nil%s)", name, f.label, 8*at.length, mask)
	case signed:
		return fmt.Sprintf("ProtoField.int%d(%q, %q, base.DEC)", 8*at.length, name, f.label)
	}
	base := string(f.kind)
	if base == "" {
		base = string(decimal)
	}
	words := "nil"
	if len(f.words) > 0 {
		var list []string
		for _, w := range f.words {
			list = append(list, fmt.Sprintf("[%d] = %q", w.value, w.text))
		}
		words = "{" + strings.Join(list, ", ") + "}"
	}
	return fmt.Sprintf("ProtoField.uint%d(%q, %q, base.%s, %s%s)", 8*at.length, name, f.label, base, words, mask)
}

func quoted(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, strconv.Quote(s))
	}
	return strings.Join(out, ", ")
}
