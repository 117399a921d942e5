#include "daemon/translation/sentence_tables.h"

namespace surtitle {
namespace {

constexpr SentenceTables kGerman{
    .ordinary =
        "Akt Alt Ben Best Dir Do Folg Ges Mi Port So Test Trans am "
        "cl cm dB dl dm kHz kW kWh kg kg km ml mg mm nm Hz",
    .continues =
        "Dr Fr Hr Hrn Mag Mr Mrs Ms Nr Prof St bspw bzw ca circa d.h evtl exkl ggf ggfs inkl "
        "insb insbes lt sog vgl z.B z.T zzgl",
    .ends_at_opener =
        "Abf Abk Abschn Anz Abt Adr Anh Anm Ank Aufl Bd Bde Bearb Beisp Betr Bez Bhf Bl Chr Co "
        "Corp "
        "Dat Dez Dipl Ebd Ed Einw Expl Fa Fak Fam Feb Fig Forts Gebr Gem Geschw Hbf Hg Hl Gen Hrsg "
        "Inc Ing "
        "Jan Jg Jh Jhd Jhdt Jr Jun Kap Kat Kfm Kl Kop Koord Kto Ldkr Lfg Lkr Ltd Maj Mill Minist "
        "Min Mio Mitgl Mrd MwSt Nachf Nov Okt Org Pers "
        "Pfd Pkt Pl Pos Präs Proz Publ Qual Red Ref Reg Rep Sek Sen Sep Sept Ser Sr Std Stk Stud "
        "Stv Tab Tb Tel Temp Tsd "
        "Univ Urspr Verf Verl Vers Vol Vors Vorst Wwe Zeitschr Zi Ziff Zit Ztr abgek abschl abzgl "
        "allg "
        "amerik amtl arab angebl "
        "anschl ausf ausschl b.w bearb bes betr bez biol bisw brit chem chin d.J d.M dän dent dgl "
        "desgl "
        "dt "
        "durchschn ebd ehem eigtl einschl elektr em engl entspr erg erl erw europ ev ff franz frz "
        "geb gegr geogr gek gem ges gesch gesetzl gest gez griech habil h.c hebr hist hl holl "
        "höchstw "
        "i.A i.d.R i.V "
        "inbegr ind insges inst intern ital jährl jap jew jmd jmdn jmdm jüd jun kath kl klass "
        "komm konv künstl lat led lfd lit männl masch max mech med mil min mind mitgl mod mögl "
        "monatl "
        "mtl mult mündl mus myth n.Chr nachm nat näml niederl nördl norw o.g österr östl päd phil "
        "phys "
        "pol "
        "poln polit port präs priv prot prov psych rd rechtl rel resp rückw röm russ s.o s.u sächs "
        "schriftl schwed schweiz sen slaw sogen soz span spez staatl stellv städt südd südl tägl "
        "techn teilw telef theol tschech türk u.a u.U übl übers ugs umg unbek undat ung ungar "
        "ungef "
        "univ unverh urspr ursprüngl v.a v.Chr verb verf verg vergl verh verm versch verst verw "
        "vollst vorauss vorl vorm vors vorw "
        "weibl westl wg wiss wöchentl zeitl zit zool zahlr zul zus zust zw",
    .ends_at_text = "Abb Abs Art Max Op S Tab op",
    .ends_at_capital = "a.D etc o.ä o.Ä u.ä u.Ä usf usw uvm u.s.w u.v.m",
    .openers =
        "aber achtung alle allerdings alles als also am an andere anschließend auch auf aus außer "
        "außerdem bald bei beide beim bereits bevor bis bisher bitte da dabei dadurch dafür "
        "dagegen "
        "daher damals damit danach daneben dank danke dann daran darauf daraus darin darum darüber "
        "das dass dasselbe davon davor dazu daß dein deine dem den denn dennoch der deren deshalb "
        "dessen deswegen die dies diese diesem diesen dieser dieses doch dort drei du durch eben "
        "ebenso ehe ein eine einem einen einer eines einige einmal einst endlich entweder er erst "
        "es etwa etwas euer falls fast fünf für ganz gegen genau gestern gewiss gibt gleichzeitig "
        "gut haben hat hatte heute hier hierbei hinter ich ihm ihn ihnen ihr ihre ihrem ihren "
        "ihrer "
        "im immer in indem insgesamt inzwischen ins irgendwann ist ja je jede jedem jeden jeder "
        "jedes jedoch jemand jene jener jetzt kann kaum kein keine keinem keinen keiner kommt "
        "können könnte lange laut leider man manche mancher manchmal mehr mehrere mein meine meist "
        "meistens mir mit morgen muss möglicherweise nach nachdem nachher natürlich neben nein "
        "nicht nichts nie niemand noch nun nur ob obwohl oder oft ohne plötzlich schließlich schon "
        "sechs seht seien sein seine seinem seinen seiner seit seitdem seither selbst sie sieben "
        "sind so sobald sogar solange solche soll sollen sonst sondern soweit sowohl später statt "
        "stattdessen steht trotz trotzdem uns unser unsere unserem unseren unter übrigens über "
        "überall um und viel viele vielen vielleicht vier vom von vor vorher wann war waren warum "
        "was weder wegen weil weitere welche welchem welchen welcher welches wenn wer werden "
        "weshalb wessen weswegen wie wieder wieso wieviel will wir wird wo wobei woher wohin "
        "wollen "
        "worauf worin während wäre zehn ziemlich zu zudem zuerst zuletzt zum zunächst zur zurück "
        "zusammen zwar zwei zweitens zwischen",
    .before_ordinals =
        "ab am bis das dem den der des die diese diesem diesen dieser ein eine einem einen einer "
        "eines im ins ihr ihre ihrem ihren ihrer jede jedem jeden jeder jedes mein meine meinem "
        "meinen meiner sein seine seinem seinen seiner unser unsere unserem unseren unserer vom "
        "zum "
        "zur beim aufs fürs ans als und oder",
    .before_times = "gegen um",
    .always_capital = "",
    .has_capital_nouns = true};

constexpr SentenceTables kEnglish{
    .ordinary =
        "Act Ad All Alt As By Cap Card Do Ex Go Hat Id In Is Job Joe Link Long Max Ok On Or "
        "Org Pro To Up am cl cm dB dl dm hl kHz kW kWh kg km ml mg mm nm Gb Hz Kb Mb",
    .continues =
        "Asst Brig Capt Cllr Cmdr Cpl Dr Drs Esq Gen Gov Lt Maj Messrs Mme Mlle Mr Mrs Ms Mx "
        "Pres Prof Pvt Rev Sen Sens Sgt Supt Ven approx cf e.g esp i.e incl viz vs",
    .ends_at_opener =
        "Adm Amb Apr Apt Ariz Assn Assoc Atty Aug Ave Bart Bldg Blvd Bros Calif Cie Co Col Colo "
        "Comdr Conn Corp Ct "
        "Dec Del Dept Det Dir Dist Div Ed Eds Est Ext Feb Fla Fr Fri Ft Ga Govt Hon Hwy Ill Inc "
        "Ind Insp Inst Jan "
        "Jr Jul Jun Kans Ky Ln Ltd Mar Mass Md Mfg Mich Minn Mon Mont Mt Mtn Mts N.Y Neb Nev Nov "
        "Oct "
        "Okla Ont Ore Penn Pkwy Pl Pt Pty Que Rd Rep Reps Rt Sat Sep Sept Secy Sq Sr St Sta Ste "
        "Sun Tenn Tex Treas Thu Thur "
        "Thurs Tue Tues Univ Va Vt Wash Wed Wis Wyo abbr adj adv al anon arch assoc avg bibl biog "
        "ca "
        "cent cert chap circ comp conc cont def dept dept diam dist div ed eds equiv est ex excl "
        "ext "
        "fem ff freq govt hist hrs ibid ill illus inc inst int intl intro lab lang lat lit loc "
        "masc math "
        "max med mfg mgmt mi min mins misc mod nat natl neg obs orig oz perf pl pop poss pref prep "
        "prob "
        "pron pt pub publ qtr qty ref reg repr resp rev secs sing spec sq stat subj suppl syn tbsp "
        "tech tel temp trans transl tsp univ usu var yr yrs",
    .ends_at_text =
        "Art Arts Bk Ch Chap Eq Eqs Ex Fig Figs No Nos Op Par Para Sec Sect Tab Vol Vols "
        "art ch fig figs nos p para pp sec vol vols",
    .ends_at_capital = "a.m etc p.m",
    .openers =
        "a above according after afterwards again all almost already also although always an and "
        "another any anyone anything are as at be because before behind being below beside besides "
        "between both but by can children could despite did do does during each earlier either "
        "eventually ever every everybody everyone everything few finally first five for four from "
        "furthermore give had has have having he hence her here hers his how however if in "
        "indeed "
        "inside instead into is it its just last lastly later leave let like many maybe me "
        "meanwhile more moreover most much my neither never next no nobody none nor not nothing "
        "now "
        "of often oh on once one only or other others our out outside over people perhaps please "
        "rather seven several she should similarly since six so some somebody someone something "
        "sometimes soon still such surely ten that the their them then there therefore these they "
        "this those though three through thus to today together tomorrow too toward towards two "
        "under unfortunately unless until up upon us very was we well were what whatever when "
        "whenever where whereas wherever whether which while who whoever whom whose why with "
        "within "
        "without would yes yesterday yet you your",
    .before_ordinals = "",
    .before_times = "",
    .always_capital = "I I'd I'll I'm I've I’d I’ll I’m I’ve",
    .has_capital_nouns = false};

constexpr SentenceTables kNone{};

}  // namespace

const SentenceTables& sentence_tables(std::string_view language) {
  return language == "de" ? kGerman : language == "en" ? kEnglish : kNone;
}

}  // namespace surtitle
