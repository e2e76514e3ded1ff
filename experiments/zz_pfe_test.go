package experiments
import ("testing";"time";"os";"github.com/inalab/inalab/reports/claims";"github.com/inalab/inalab/reports/figure";"github.com/inalab/inalab/reports/render")
func TestZZ(t *testing.T){
	l, _ := claims.Load()
	for _, x := range All() {
		if x.ID != os.Getenv("X") { continue }
		e := unitEnv(t); e.Quick = os.Getenv("FULL")==""
		began := time.Now()
		f, err := x.Run(t.Context(), e)
		if err != nil { t.Fatal(err) }
		took := time.Since(began)
		for _, tb := range f.Tables { if err := tb.Write(os.Stdout, render.Options{}); err != nil {t.Error(err)} }
		os.MkdirAll("/tmp/l11/svg",0o755)
		for _, g := range f.Figures { o,_ := os.Create("/tmp/l11/svg/"+g.ID+".svg"); if err := figure.Write(o,g); err != nil {t.Error(err)}; o.Close() }
		for id, m := range f.Measured { c,err := l.Lookup(id); if err!=nil {t.Error(err);continue}; j := c.Judge(m); t.Logf("%s %s %s | %s | note %s", id, j.Verdict, m, j.Reason, m.Note) }
		for id, p := range f.Predicted { t.Logf("%s predicted %.4f %.4f %s", id, p.Low, p.High, p.Note) }
		t.Log(x.ID, took)
	}
}
