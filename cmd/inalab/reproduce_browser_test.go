package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The page of a check of all papers, of claims that take little time, in a browser: as a report of runs, and with its search.
func TestClaimsPageInBrowser(t *testing.T) {
	path := findBrowser(t)
	file := pageOfClaims(t)
	ctx := openBrowser(t, path)
	lookAt(t, ctx, "file://"+file, 1)
	searchIn(t, ctx, "file://"+file)
}

// pageOfClaims checks claims of each paper and returns the path of the page.
func pageOfClaims(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	app := newApp(io.Discard, io.Discard, os.Environ())
	app.execute([]string{
		"reproduce", "--quick", "--quiet", "--out", out, "trio.fig15", "trio.s4.header-12B", "trio.tab1", "trio.s5.cited", "switchml.s2.2.over-half",
		"switchml.tab4", "switchml.appF", "atp.b1", "atp.tab1", "xagg.s4a", "xagg.s5.height", "xagg.s5.three-switches", "xagg.fig6.rate",
	})
	file, err := filepath.EvalSymlinks(filepath.Join(out, latest, reportHTML))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// found is what of a page with a search is to be seen.
type found struct {
	Cards    []string // addresses
	Sections []string
	Count    string
	Box      bool // whether the search is to be seen
}

const whatIsFound = `(() => {
  const seen = e => e.getClientRects().length > 0, ids = q => [...document.querySelectorAll(q)].filter(seen).map(e => e.id);
  return { Cards: ids('.card'), Sections: ids('section'), Count: document.querySelector('output').value, Box: seen(document.querySelector('.search')) };
})()`

// searchIn uses the search of a page: words, ticks, both, and none again; then without script, and on paper.
func searchIn(t *testing.T, ctx context.Context, address string) {
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	var c complaints
	chromedp.ListenTarget(tab, c.watch(address))
	look := func(actions ...chromedp.Action) (f found) {
		t.Helper()
		if err := chromedp.Run(tab, append(actions, chromedp.Evaluate(whatIsFound, &f))...); err != nil {
			t.Fatal(err)
		}
		return f
	}
	all := look(network.Enable(), log.Enable(), runtime.Enable(), chromedp.EmulateViewport(1400, 900), chromedp.Navigate(address))
	if len(all.Cards) < 20 || !all.Box {
		t.Fatalf("the page has %d cards, and a search: %v", len(all.Cards), all.Box)
	}
	one := look(chromedp.SendKeys(`.search [type=search]`, "HEADER-12b", chromedp.ByQuery))
	if !slices.Equal(one.Cards, []string{"trio.s4.header-12B"}) || slices.Contains(one.Sections, "xagg") || !slices.Contains(one.Sections, "trio-fig-8") {
		t.Errorf("a word finds %v in %v", one.Cards, one.Sections)
	}
	if none := look(chromedp.Click(`[value=arithmetic][name=evidence]`, chromedp.ByQuery)); len(none.Cards) != 0 {
		t.Errorf("a word and a tick find %v", none.Cards)
	}
	ticked := look(chromedp.Click(`[name=clear]`, chromedp.ByQuery), chromedp.Click(`[value=Trio-ML][name=paper]`, chromedp.ByQuery), chromedp.Click(`[value=XAgg][name=paper]`, chromedp.ByQuery))
	if len(ticked.Cards) == 0 || len(ticked.Cards) >= len(all.Cards) || !slices.ContainsFunc(ticked.Cards, func(id string) bool { return id[:4] == "xagg" }) {
		t.Errorf("ticks find %v", ticked.Cards)
	}
	if again := look(chromedp.Click(`[name=clear]`, chromedp.ByQuery)); len(again.Cards) != len(all.Cards) || again.Count != all.Count {
		t.Errorf("cleared, it finds %d of %d: %s", len(again.Cards), len(all.Cards), again.Count)
	}
	if linked := look(chromedp.Navigate(address + "?q=header-12B")); len(linked.Cards) != 1 {
		t.Errorf("a link finds %v", linked.Cards)
	}
	paper := look(chromedp.Navigate(address), emulation.SetEmulatedMedia().WithMedia("print"))
	if paper.Box || len(paper.Cards) != len(all.Cards) {
		t.Errorf("on paper the search is to be seen: %v; cards: %d of %d", paper.Box, len(paper.Cards), len(all.Cards))
	}
	plain := look(emulation.SetScriptExecutionDisabled(true), emulation.SetEmulatedMedia().WithMedia("screen"), chromedp.Navigate(address))
	if plain.Box || len(plain.Cards) != len(all.Cards) {
		t.Errorf("without script the search is to be seen: %v; cards: %d of %d", plain.Box, len(plain.Cards), len(all.Cards))
	}
	if said := slices.DeleteFunc(c.take(), func(s string) bool { return s == "request: "+address+"?q=header-12B" }); len(said) > 0 {
		t.Errorf("the browser complains: %v", said)
	}
}
