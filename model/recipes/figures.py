#!/usr/bin/env python3
"""Write German-English training pairs with many names, numbers and signs.

Use:  figures.py N SEED > out.tsv

Each of the N lines is "German TAB English".  The pairs teach a small
translation model to copy what must be copied (names, codes, addresses) and to
convert what must be converted (numbers, prices, dates, times).  The text is
made up: sentence frames with slots, and a generator for every kind of slot.
The same N and SEED always give the same lines.  No German line occurs twice.

How a frame is written (see FRAMES below):
  German => English
  {kind}      a slot; the same slot stands on both sides
  {kind2}     a second, different slot of the same kind
  {kind.s}    the possessive form ("Anna's"); {kind.g} the German genitive
              ("Annas"); {kind.a} with "a" or "an"; {kind.c} with a capital
  [a|b|c]     a choice; the n-th form on the left goes with the n-th on the
              right.  Two choices in one frame are numbered, as [1:a|b].
  «text»      quotation marks; German gets one of several styles, English "
"""

import math
import random
import re
import sys
import unicodedata
from datetime import date, timedelta

# ---------------------------------------------------------------- names ----

# Per origin: men's first names, women's first names, surnames.
NAMES = {
    "de": (
        """Wolfgang Jürgen Günther Uwe Dieter Klaus Jörg Björn Sönke Thorsten Matthias Andreas Stefan
        Michael Thomas Ralf Bernd Detlef Hartmut Eberhard Siegfried Heinz Karl Otto Friedrich Wilhelm
        Ludwig Johann Jakob Emil Anton Paul Felix Jonas Lukas Leon Finn Moritz Maximilian Konstantin
        Tobias Sebastian Florian Fabian Dominik Christoph Rüdiger Götz Volker Henning Hauke Malte Ole
        Torben Holger Norbert Rainer Gerhard Ulrich Reinhold Ansgar Burkhard Veit Till Jannik Mats Levin
        Benno Lothar Erwin Egon Hannes Kai Sven Marvin Jens Lars Niklas Vincent Theo Carl Hermann""",
        """Ursula Brigitte Renate Helga Gisela Ingrid Monika Petra Sabine Susanne Claudia Birgit Heike
        Kerstin Anja Silke Katrin Nadine Stefanie Julia Katharina Anna Lena Laura Sophie Marie Emma Mia
        Hannah Lina Leonie Charlotte Johanna Frieda Greta Ida Mathilda Käthe Bärbel Gudrun Heidrun Edeltraud
        Hildegard Waltraud Elfriede Roswitha Annegret Jördis Wiebke Frauke Antje Imke Maike Svenja Antonia
        Franziska Theresa Magdalena Veronika Elisabeth Margarethe Rosemarie Annette Cornelia Doris Dagmar
        Elke Angelika Barbara Beate Christiane Christa Ilse Irmgard Luise Marlene Nele Paula Pia Ronja""",
        """Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer
        Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Werner
        Krause Meier Lehmann Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller
        Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann
        Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus Martin Schumacher Krämer Vogt Stein Jäger
        Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf Dietrich Ziegler Kuhn Kühn Pohl Engel
        Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer Beyer Kießling Strauß Heuß Preuß
        Grünwald Rößler Kühnemann Löwenstein Hülsmann Blümel Schönfeld Trautwein Wöhrle Dörfler Häberle
        Schüßler Quast Zschoche Tschirner Jahnke Petersen Hinrichs Claasen Brinkmann Overbeck Kötter
        Wiesinger Obermaier Niedermeier Hintermayr Oettinger Gmeiner Kretschmer Noack Lischka Buchholz"""),
    "at": (
        """Alois Franzl Gernot Helmut Herwig Manfred Leopold Ferdinand Valentin Severin Raphael Gregor
        Clemens Georg Hubert Josef Peter Reinhard Werner Walter Xaver Korbinian Quirin Urban""",
        """Gerlinde Gertraud Hermine Leopoldine Elfi Herta Traude Melitta Waltraude Valerie Viktoria
        Theresia Rosalinde Anneliese Hedwig Edith Eva Sonja Ulrike Andrea Astrid Christl""",
        """Gruber Moser Mayrhofer Pichler Steiner Hofer Leitner Egger Eder Brunner Wimmer Reiter Lechner
        Haider Aigner Schwaiger Holzer Stadler Lackner Ebner Kogler Auer Strasser Pöll Wögerbauer Hölzl
        Stöger Prohaska Nowotny Sedlacek Vranitzky Schüssel Klestil Zöchling Neuwirth Rauscher Unterberger
        Kaltenbrunner Achleitner Feichtinger Haslinger Höllwarth Pirchner Gstrein Kreuzhuber Zauner"""),
    "ch": (
        """Urs Beat Reto Ueli Jürg Hansruedi Köbi Andri Gian Curdin Flurin Linus Silvan Dario Luca
        Nico Rolf Marcel Pascal Yves Thierry Didier Blaise Armin Fridolin""",
        """Vreni Regula Ursina Seraina Flurina Ladina Corinne Mirjam Rahel Simone Nicole Fabienne
        Chantal Céline Mireille Annalise Heidi Trudi Verena Bettina Lisbeth Madlaina""",
        """Bünzli Zürcher Ammann Brunner Gerber Hürlimann Widmer Bürgi Zwyssig Aebischer Aeschbacher
        Amstutz Bärtschi Blocher Burkhalter Calmy Cassis Dürrenmatt Frisch Gübelin Häfliger Imhof
        Inderbitzin Jenni Küng Leuenberger Lüthi Maurer Nägeli Odermatt Parmelin Rüegg Rösti Sommaruga
        Sutter Tschudi Tschümperlin Villiger Wyss Zbinden Zollinger Zurbriggen Caduff Camenisch Capaul
        Derungs Janett Lötscher Schnyder Stämpfli Zgraggen"""),
    "tr": (
        """Mehmet Mustafa Ahmet Hüseyin Emre Burak Çağlar Gökhan Okan Ömer Ümit Şükrü Kerem Barış Cem
        Deniz Eren Ferhat Hakan İbrahim Kaan Levent Mert Onur Orhan Özgür Serkan Tolga Yusuf Yılmaz""",
        """Ayşe Fatma Emine Hatice Zeynep Elif Gülşen Şule Çiğdem Özlem Büşra Tuğba Sevgi Songül Dilek
        Ebru Esra Gamze Hülya İpek Kübra Melek Nazlı Nurcan Pınar Selin Sibel Yasemin Aylin Ceren""",
        """Yılmaz Kaya Demir Şahin Çelik Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan
        Çetin Kara Koç Kurt Özkan Şimşek Polat Korkmaz Erdoğan Güneş Aksoy Ateş Bulut Çakır Güler Işık
        Karataş Keskin Tekin Türkmen Uçar Ünal Yavuz Yalçın Özoğuz Akgün Başaran Çalhanoğlu Demirel
        Erbakan İnce Pamuk Şafak Taşkın Tunç Yücel Kahveci Müezzinoğlu"""),
    "pl": (
        """Łukasz Paweł Michał Piotr Krzysztof Andrzej Jarosław Stanisław Wojciech Zbigniew Grzegorz
        Tomasz Bartosz Jakub Mateusz Kacper Przemysław Sławomir Bogusław Józef Kazimierz Marek Jacek
        Rafał Szymon""",
        """Agnieszka Małgorzata Katarzyna Joanna Bożena Grażyna Jadwiga Zofia Kinga Ewelina Iwona
        Jolanta Danuta Halina Aleksandra Beata Dorota Elżbieta Żaneta Wiesława Urszula Łucja Róża""",
        """Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak
        Dąbrowski Kozłowski Jankowski Mazur Wojciechowski Kwiatkowski Krawczyk Kaczmarek Piotrowski
        Grabowski Zając Pawłowski Król Michalski Wróbel Wieczorek Jabłoński Majewski Stępień Malinowski
        Jaworski Adamczyk Dudek Pawlak Górski Sikora Walczak Błaszczykowski Szczęsny Piątek Żuraw
        Rzeźnik Ćwik Łapiński Świątek Źródłowski Brzęczyszczykiewicz"""),
    "ar": (
        """Ahmad Mohammed Yousef Khaled Omar Tariq Hassan Hussein Samir Karim Rami Nabil Faisal Bilal
        Walid Ziad Anas Amjad Fadi Ghassan Ibrahim Jamal Mahmoud Mounir Nizar Rachid Saïd Taha Younes""",
        """Fatima Aisha Layla Noor Yasmin Salma Rania Hala Amal Dalia Farah Ghada Hanan Iman Jamila
        Khadija Lina Mariam Nadia Rasha Samira Soraya Zainab Naïma Malika Houda""",
        """al-Assaf al-Hamdan al-Masri al-Rashid al-Khatib Haddad Khoury Mansour Nasser Saleh Hamdi
        Aboud Darwish Barakat Benali Boukhari El-Amrani El-Sayed Ben-Youssef Bouzid Chaoui Fadel Farouk
        Ghanem Habibi Idrissi Jaber Kassem Lahham Mahfouz Najjar Othman Qasim Rahman Shahin Tahan Tlass
        Yassin Zayed Abdulrahman Alaoui Benjelloun Cherkaoui Hadj-Saïd Meziane Abu-Hamid"""),
    "vn": (
        """Văn_Minh Quang_Huy Đức_Anh Hữu_Phước Thành_Đạt Minh_Tuấn Công_Vinh Hoàng_Long Ngọc_Sơn Bảo_Khánh
        Tiến_Dũng Xuân_Trường Đình_Trọng Gia_Bảo Trung_Kiên""",
        """Thị_Lan Thị_Hồng Ngọc_Ánh Thu_Hà Mai_Phương Thùy_Linh Kim_Ngân Bích_Ngọc Thanh_Thảo Hoài_An
        Diễm_My Tuyết_Nhung Khánh_Vân Phương_Thảo Thị_Hương""",
        """Nguyễn Trần Lê Phạm Hoàng Huỳnh Phan Vũ Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Đinh Trịnh Đoàn Mạc
        Tạ Tô Lưu Cao Quách"""),
    "sc": (
        """Åke Bjørn Søren Jørgen Håkon Øystein Magnus Lars Sven Göran Gösta Östen Anders Leif Torbjørn
        Ýmir Þór Sigurður Gunnar Ólafur Jón Kristján Björgvin Eirik Mikkel Rasmus Jesper Kaj Väinö Jukka
        Mika Pekka Antti Jyrki Kimmo""",
        """Åse Åsa Ingrid Astrid Sigrid Solveig Bodil Kirsten Mette Birgitte Grethe Søs Tøve Guðrún Björk
        Sæunn Þórdís Kristín Ragnheiður Linnéa Märta Ebba Saga Freja Maj Kaisa Päivi Aino Sanna Eeva
        Tuulikki Marjatta Gunnhild Ragnhild Tove Liv""",
        """Åkesson Ångström Bergström Björklund Dahlström Ekström Fälldin Gustafsson Håkansson Jönsson
        Källström Lindqvist Löfven Månsson Nyström Östlund Öberg Palme Rehnquist Sjöberg Söderström
        Thorvaldsen Wikström Andersen Bjørnson Christensen Dyrberg Eriksen Frederiksen Grønkjær Haugen
        Jørgensen Kjær Lykke Mørk Nygård Ødegaard Rasmussen Skovgaard Solbakken Sørensen Tveit Ulvestad
        Vestergaard Aalto Hämäläinen Järvinen Korhonen Mäkelä Niinistö Räikkönen Virtanen Yrjölä
        Guðmundsson Jónsson Sigurðsson Þórarinsson Ægisson"""),
    "it": (
        """Giuseppe Giovanni Luca Matteo Alessandro Niccolò Francesco Giacomo Salvatore Enzo Massimo
        Fabrizio Gianluca Sergio Tommaso""",
        """Giulia Chiara Francesca Elisabetta Lucia Paola Silvia Valentina Benedetta Ginevra Ilaria
        Mariangela Ornella Rosaria Caterina""",
        """Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti
        Mancini Costa Giordano Rizzo Lombardi Moretti Barbieri Fontana Santoro Caruso D'Angelo De_Luca
        Dell'Acqua Nicolò Cefalù Pirandello Guicciardini"""),
    "es": (
        """José Jesús Ángel Andrés Joaquín Ramón Íñigo Álvaro Adrián Raúl Javier Alejandro Pablo Diego
        João Gonçalo Luís Tomás Nuno Thiago Antônio Iñaki Xavi""",
        """María Inés Belén Begoña Concepción Ángela Lucía Verónica Sofía Carmen Dolores Pilar Rocío
        Conceição Inês Mafalda Beatriz Luísa Catarina Graça Nuria Montserrat""",
        """García Fernández González Rodríguez López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz
        Hernández Díaz Moreno Muñoz Álvarez Romero Gutiérrez Núñez Ibáñez Zúñiga Peña Vázquez Ramírez
        Silva Santos Ferreira Pereira Gonçalves Simões Guimarães Magalhães Araújo Conceição Brandão
        Falcão Antunes Puig Etxeberría Goikoetxea"""),
    "fr": (
        """François Jérôme Stéphane Frédéric Benoît Guénolé René André Étienne Rémi Loïc Gaël Aurélien
        Baptiste Thibault Olivier Jean Luc Mathieu Hervé Raphaël Noël""",
        """Hélène Aurélie Françoise Geneviève Élodie Cécile Anaïs Zoé Maëlle Océane Bérénice Joséphine
        Solène Agnès Noémie Clémence Margaux Delphine Brigitte Inès""",
        """Dubois Lefèvre Lemaître Beauséjour Côté Bélanger Gagné Hébert Fournier Girard Mercier Dupont
        Moreau Leroy Bonnet Rousseau Chevalier Perrin Clément Gauthier Guérin Boyer Poincaré Béranger
        Vallée Léger Châtelain Delacroix L'Hôpital Crépin Besançon Noël Châtillon Hénault"""),
    "sl": (
        """Jiří Tomáš Ondřej Zdeněk Vojtěch Lukáš Marek Miloš Zoltán György István László Željko Šime
        Goran Dragan Nenad Božidar Ljubomir Aleksandar Dušan Matjaž Jernej Ivan Dmitri Sergei Mykola
        Oleksandr Wolodymyr Andrij Radu Ștefan Ionuț Dimitris Giorgos""",
        """Kateřina Lucie Zdeňka Božena Růžena Eliška Žofia Ľubica Ágnes Erzsébet Ildikó Katalin Željka
        Jelena Snežana Ljiljana Biljana Mirjana Špela Maja Olena Oksana Tetjana Iryna Natalja Swetlana
        Olga Ludmila Ioana Ștefania Eleni Anastasia""",
        """Dvořák Novák Svoboda Černý Procházka Kučera Veselý Horák Němec Pospíšil Kříž Růžička Šťastný
        Řehoř Ďurica Horváth Kováč Szabó Tóth Nagy Kovács Szűcs Kőszegi Petrović Jovanović Nikolić Marković
        Đorđević Stanković Kovačević Babić Marić Jurić Vuković Božić Žižek Cankar Prešeren Ivanov Petrov
        Sidorov Smirnov Kuznetsov Shevchenko Kovalenko Bondarenko Tkachenko Klitschko Popescu Ionescu
        Țepeș Mureșan Papadopoulos Konstantinidis Georgiev Dimitrov Hrušovský"""),
    "in": (
        """Rahul Amit Vikram Sanjay Arjun Rohan Anil Suresh Ramesh Krishna Venkatesh Harish Deepak Nikhil
        Pranav Karthik Aravind Manoj Tejas Yash""",
        """Priya Anjali Deepika Lakshmi Kavita Sunita Meera Nandini Pooja Radha Shreya Divya Aishwarya
        Indira Padma Sushmita Vidya Ananya Ishita Gayatri""",
        """Sharma Patel Singh Kumar Gupta Reddy Iyer Nair Menon Rao Chatterjee Mukherjee Banerjee Bose
        Desai Mehta Joshi Kulkarni Deshpande Krishnamurthy Subramanian Venkataraman Chandrasekhar
        Ramanujan Pillai Bhattacharya Agarwal Chopra Kapoor Malhotra Tendulkar Gokhale"""),
    "cn": (
        """Xiaoming Zhiqiang Guowei Jianguo Wenbo Haoran Yuxuan Zihan Mingzhe Qiang Lei Tao Jun Peng
        Yifan Tianyu Dongsheng Shaohua""",
        """Xiuying Meiling Lihua Yuqing Xinyi Jiayi Fang Min Jing Yan Xueqin Huifen Qiaolian Shuang
        Zhenzhen Ruolan Wenjing Yulan""",
        """Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Liang
        Xie Tang Deng Feng Cao Peng Zeng Xiao Tian Dong Pan Yuan Cai Jiang Yu Du Ye Cheng Wei Su Lü Ding
        Ren Lu Yao Qian Qiu Xue Ouyang"""),
    "af": (
        """Kwame Kofi Chinedu Emeka Oluwaseun Tunde Mamadou Ousmane Abdoulaye Tendai Thabo Sipho Jabari
        Juma Baraka Amadou Moussa Ibrahima Tesfaye Haile Dawit Kwabena Yao Didier""",
        """Amara Ngozi Chioma Adaeze Folake Yetunde Aminata Fatoumata Mariama Nomvula Thandiwe Zanele Wanjiru
        Akinyi Makena Awa Binta Oumou Selam Makeda Abena Akosua Efua Nkechi""",
        """Mensah Okafor Okonkwo Adeyemi Adichie Achebe Soyinka Diallo Traoré Keïta Coulibaly Ndiaye Diop
        N'Diaye Koné Touré Sané Mbeki Mandela Ngubane Dlamini Nkosi Mwangi Otieno Kamau Odhiambo Kenyatta
        Tesfaye Gebreselassie Bekele Abebe Owusu Boateng Asamoah Appiah Ouédraogo Kaboré Mbappé Eto'o
        Tshabalala Zuma Nwosu Ezeigbo"""),
    "en": (
        """James William Oliver Harry Jack George Connor Liam Seán Ciarán Padraig Callum Hamish Rhys
        Owen Dylan Ethan Noah Logan Tyler Trevor Nigel Graham Desmond""",
        """Olivia Amelia Emily Poppy Grace Siobhán Aoife Niamh Róisín Catriona Fiona Morag Bronwen
        Megan Shannon Kimberley Ashley Madison Harriet Beatrice Gwendolyn Rosalind""",
        """Smith Jones Taylor Brown Williams Wilson Johnson Davies Robinson Wright Thompson Evans Walker
        White Roberts Green Hall Wood Jackson Clarke O'Brien O'Connor McCarthy MacDonald McAllister
        Featherstone Blackwood Pemberton Ashworth Fitzgerald Ó_Súilleabháin Llewellyn Abercrombie"""),
}
NAMES = {k: tuple([w.replace("_", " ") for w in part.split()] for part in v)
         for k, v in NAMES.items()}
ORIGINS = ["de"] * 12 + ["at"] * 3 + ["ch"] * 3 + ["tr"] * 4 + ["pl"] * 3 + ["ar"] * 3 + ["vn"] * 2 \
    + ["sc"] * 3 + ["it"] * 2 + ["es"] * 3 + ["fr"] * 3 + ["sl"] * 4 + ["in"] * 2 + ["cn"] * 2 \
    + ["af"] * 3 + ["en"] * 2

# Parts of invented surnames.  One entry per style:
# beginnings, middles (may be empty), endings.
MADE = {
    "de": ("Br Bl D Dr F Fl Fr G Gl Gr H J K Kl Kn Kr L M N P Pf Pr R S Sch Schl Schm Schn Schw St Str "
           "T Tr W Z Zw",
           "a e i o u ä ö ü au ei ie eu äu",
           "ck ll mm nn ng nk rg rk rn rt tt tz st ls lz ld mp pp ff ch chs hl hn hr th",
           "er ler ner el mann meier bauer hofer ke inger eder egger reich wald berg stein bach feld hagen "
           "kamp brink sen lein le i huber müller dorf burg eisen kötter busch nitz ow witz eck"),
    "sl": ("B Br D Dr F G Gr H J K Kr L M N P R S Sl Sm St T V Vl Z Č Š Ž Đ Ć Ř",
           "a e i o u á é í ů ě",
           "b d k l m n r s t v ž š č j ch lk rn nk sk st zd",
           "ović ić ák ek ský ovič enko uk ov ev áč ec ka čič anin escu ashvili"),
    "pl": ("B Br Ch D G Gr K Kr Krz L Ł M N P Prz R S Sz Szcz Ś T W Z Ż Źr",
           "a e i o u ą ę ó y",
           "b c cz dz k l ł m n ń r rz s ś sz t w z ż st",
           "owski ewski iński czyk owicz ak ek ik uch oń ecki ała yk"),
    "tr": ("Ak Al Ar Bal Baş Boz Bay Çal Çam Çak Dağ Der Er Gök Gül Gün Kaç Kap Kır Koç Mut Öz Sar Sel Sez "
           "Şen Taş Tek Tun Tür Uç Uz Ün Yal Yaz Yeş",
           "", "a ı e i",
           "oğlu türk demir kaya can er taş gül men soy han bulut tepe öz ay kan"),
    "sc": ("B Bj Br D F Fj G H Hj J K Kj L M N R S Sk St Str T V Þ",
           "a e i o u y å ø ö ä æ é í",
           "ck d g k l ld lm ll m n nd ng r rk rn s t v",
           "sson sen strøm ström gaard gård lund qvist dal vik mark inen nen holm berg by skov stad"),
    "ro": ("B Bel C Car Col D F Far Fer G Gu L M Mar N P Per R S Sal T V Val Z Ch",
           "a e i o u á é í ó",
           "b c d g l ll m n ñ nd nt r rr rd s ss t tt v z ç",
           "ini elli etti one ez ero eau ard ier oni ano escu eira ães inho ola era illo és andi"),
    "in": ("Bh Ch D G H J K Kh L M N P R S Sh T V Y",
           "a ā i u e o", "d g k l m n r s sh t v nd nk rm",
           "kar wala nathan murthy swamy rajan ani want jee dekar moorthy ppa"),
    "af": ("Ab Ad Ak B Ch Ek G K Kw L M Mb Mw N Nd Ng Nj Nk Ok Ol S T Th W Z",
           "a e i o u é", "b d g k l m n nd ng r s t w mb",
           "ombo angwe uli anda eke ulu ani ebe ira embe onga oye iwe inde aré allo"),
}
MADE = {k: [p.split() for p in v] for k, v in MADE.items()}
BAD = re.compile("fick|nazi|hitler|arsch|scheiß|neger|fuck|shit|cunt|nigg|hure|schwul|jude|fotz|penis|titt|kack|piss|"
                 "furz|puff|sex|porn|dildo|wix|dumm|kotz|leich", re.I)

TOWNS_DE = """München=Munich Köln=Cologne Nürnberg=Nuremberg Hannover=Hanover Berlin Hamburg Frankfurt Stuttgart
Düsseldorf Dortmund Essen Leipzig Dresden Bremen Duisburg Bochum Wuppertal Bielefeld Bonn Münster Karlsruhe Mannheim
Augsburg Wiesbaden Mönchengladbach Gelsenkirchen Aachen Braunschweig Chemnitz Kiel Halle Magdeburg Freiburg Krefeld Mainz
Lübeck Erfurt Oberhausen Rostock Kassel Hagen Potsdam Saarbrücken Hamm Ludwigshafen Mülheim Oldenburg Osnabrück
Leverkusen Heidelberg Darmstadt Solingen Regensburg Herne Paderborn Neuss Ingolstadt Offenbach Fürth Ulm Würzburg
Heilbronn Pforzheim Wolfsburg Göttingen Bottrop Reutlingen Koblenz Erlangen Bremerhaven Remscheid Bergisch_Gladbach Trier
Jena Salzgitter Moers Siegen Hildesheim Cottbus Gütersloh Kaiserslautern Witten Hanau Schwerin Esslingen Gera
Tübingen Konstanz Ravensburg Kempten Passau Bamberg Bayreuth Coburg Weimar Eisenach Gotha Görlitz Zwickau Plauen
Greifswald Stralsund Wismar Flensburg Husum Cuxhaven Emden Celle Lüneburg Goslar Fulda Marburg Gießen Wetzlar Worms
Speyer Landau Pirmasens Zweibrücken Baden-Baden Offenburg Tuttlingen Biberach Memmingen Kaufbeuren Garmisch-Partenkirchen
Bad_Reichenhall Bad_Tölz Rosenheim Landshut Straubing Deggendorf Weißenfels Dessau-Roßlau Wittenberg Neubrandenburg
Eberswalde Frankfurt_(Oder) Rüsselsheim Böblingen Sindelfingen Schwäbisch_Hall Crailsheim Idar-Oberstein""".split()
TOWNS_ATCH = """Wien=Vienna Zürich=Zurich Genf=Geneva Luzern=Lucerne Bern Basel Graz Linz Salzburg Innsbruck Klagenfurt
Villach Wels Sankt_Pölten=St._Pölten Dornbirn Steyr Feldkirch Bregenz Leoben Krems Bad_Ischl Eisenstadt Kufstein
Winterthur Lausanne Sankt_Gallen=St._Gallen Lugano Biel Thun Köniz Chur Schaffhausen Freiburg_im_Üechtland=Fribourg Neuenburg=Neuchâtel Zug Olten
Aarau Davos Interlaken Zermatt Locarno Bellinzona Solothurn Rapperswil-Jona Vaduz""".split()
TOWNS_INT = """Paris London Rom=Rome Mailand=Milan Venedig=Venice Florenz=Florence Neapel=Naples Turin Genua=Genoa Bologna
Palermo Padua Verona Madrid Barcelona Sevilla=Seville Valencia Bilbao Málaga Lissabon=Lisbon Porto Brüssel=Brussels Antwerpen=Antwerp
Gent=Ghent Brügge=Bruges Lüttich=Liège Amsterdam Rotterdam Utrecht Eindhoven Den_Haag=The_Hague Luxemburg=Luxembourg Straßburg=Strasbourg
Lyon Marseille Nizza=Nice Bordeaux Toulouse Nantes Lille Montpellier Dijon Kopenhagen=Copenhagen Aarhus Odense Malmö Göteborg=Gothenburg
Stockholm Uppsala Oslo Bergen Trondheim Tromsø Helsinki Tampere Turku Reykjavík Warschau=Warsaw Krakau=Kraków Danzig=Gdańsk
Breslau=Wrocław Posen=Poznań Łódź Kattowitz=Katowice Lublin Stettin=Szczecin Prag=Prague Brünn=Brno Pilsen Olomouc České_Budějovice
Bratislava Košice Budapest Debrecen Szeged Pécs Bukarest=Bucharest Cluj-Napoca Timișoara Brașov Sofia Plowdiw=Plovdiv Belgrad=Belgrade
Novi_Sad Zagreb Split Dubrovnik Sarajevo Mostar Ljubljana Maribor Skopje Tirana Athen=Athens Thessaloniki Patras
Istanbul Ankara Izmir Antalya Trabzon Kiew=Kyiv Lwiw=Lviv Odessa=Odesa Charkiw=Kharkiv Moskau=Moscow Sankt_Petersburg=St._Petersburg
Riga Tallinn Vilnius Kaunas Minsk Tiflis=Tbilisi Jerewan=Yerevan Baku Teheran=Tehran Bagdad=Baghdad Damaskus=Damascus Aleppo Beirut
Amman Jerusalem Haifa Tel_Aviv Kairo=Cairo Alexandria Tunis Algier=Algiers Casablanca Marrakesch=Marrakesh Dakar Accra Lagos Abuja
Nairobi Kampala Addis_Abeba=Addis_Ababa Kapstadt=Cape_Town Johannesburg Windhoek Delhi Mumbai Kalkutta=Kolkata Bengaluru Chennai
Peking=Beijing Schanghai=Shanghai Hongkong=Hong_Kong Taipeh=Taipei Seoul Tokio=Tokyo Osaka Kyoto Hanoi Bangkok Singapur=Singapore
Jakarta Manila Sydney Melbourne Perth Auckland Wellington Toronto Montreal Vancouver Ottawa New_York Boston Chicago
Philadelphia Washington San_Francisco Los_Angeles Seattle Houston Miami Denver Havanna=Havana Bogotá Medellín Lima Quito
Santiago_de_Chile São_Paulo Rio_de_Janeiro Brasília Buenos_Aires Montevideo Asunción La_Paz Dublin Cork Belfast Edinburgh Glasgow
Cardiff Manchester Liverpool Birmingham Leeds Oxford Cambridge Bristol Brighton York""".split()


def _pairs(words):
    out = []
    for w in words:
        de, _, en = w.partition("=")
        out.append((de.replace("_", " "), (en or de).replace("_", " ")))
    return out


TOWNS_DE, TOWNS_ATCH, TOWNS_INT = _pairs(TOWNS_DE), _pairs(TOWNS_ATCH), _pairs(TOWNS_INT)
TOWN_A = ("Ober Unter Nieder Hohen Alten Neuen Langen Klein Groß Burg Wald Kirch Linden Buchen Eichen Erlen Wolfs Bären Hirsch Gräfen "
          "Königs Bischofs Mühl Brunn Stein Rauh Weiß Schwarz Roten Grün Sonnen Winter Rosen Tann Hasel Kessel Felden Mönchs "
          "Ebers Diets Walters Gunders Reins Heiligen Krumm Wester Oster Süder Norder").split()
TOWN_B = ("heim dorf hausen stedt bach berg feld kirchen au leben roda hofen ingen wangen furt stadt hagen weiler büttel born "
          "zell bronn reuth scheid rode stein brück loh moos ried tal see münster walde").split()

COUNTRIES = """Deutschland=Germany Österreich=Austria Polen=Poland Frankreich=France Italien=Italy Spanien=Spain
Portugal Dänemark=Denmark Schweden=Sweden Norwegen=Norway Finnland=Finland Island=Iceland Irland=Ireland Großbritannien=Britain
Belgien=Belgium Luxemburg=Luxembourg Liechtenstein Tschechien=Czechia Ungarn=Hungary Rumänien=Romania Bulgarien=Bulgaria
Griechenland=Greece Kroatien=Croatia Serbien=Serbia Slowenien=Slovenia Albanien=Albania Nordmazedonien=North_Macedonia
Estland=Estonia Lettland=Latvia Litauen=Lithuania Georgien=Georgia Armenien=Armenia Indien=India China Japan Vietnam
Thailand Südkorea=South_Korea Australien=Australia Neuseeland=New_Zealand Kanada=Canada Mexiko=Mexico Brasilien=Brazil
Argentinien=Argentina Chile Kolumbien=Colombia Peru Ägypten=Egypt Marokko=Morocco Tunesien=Tunisia Kenia=Kenya Nigeria
Ghana Äthiopien=Ethiopia Südafrika=South_Africa Namibia Senegal Malta Zypern=Cyprus Moldau=Moldova Israel Jordanien=Jordan""".split()
COUNTRIES = _pairs(COUNTRIES)
# Countries with an article: in, from, to.
COUNTRIES_ART = [("in der Schweiz", "aus der Schweiz", "in die Schweiz", "Switzerland"),
                 ("in der Türkei", "aus der Türkei", "in die Türkei", "Turkey"),
                 ("in der Ukraine", "aus der Ukraine", "in die Ukraine", "Ukraine"),
                 ("in der Slowakei", "aus der Slowakei", "in die Slowakei", "Slovakia"),
                 ("in der Mongolei", "aus der Mongolei", "in die Mongolei", "Mongolia"),
                 ("in den USA", "aus den USA", "in die USA", "the USA"),
                 ("in den Niederlanden", "aus den Niederlanden", "in die Niederlande", "the Netherlands"),
                 ("auf den Philippinen", "von den Philippinen", "auf die Philippinen", "the Philippines"),
                 ("im Iran", "aus dem Iran", "in den Iran", "Iran"),
                 ("im Irak", "aus dem Irak", "in den Irak", "Iraq"),
                 ("im Libanon", "aus dem Libanon", "in den Libanon", "Lebanon")]

STREET_A = """Goethe Schiller Bahnhof Haupt Garten Schul Linden Mozart Beethoven Bismarck Kaiser König Kirch Mühlen Ring
Rosen Berg Burg Wald Wiesen Post Dorf Markt Lessing Hölderlin Humboldt Dürer Händel Bach Schubert Nelken Tulpen
Ahorn Birken Buchen Eichen Kastanien Ulmen Fichten Tannen Amsel Drossel Finken Meisen Schwalben Kranich Storchen Hafen
Weser Elbe Donau Isar Neckar Saale Mosel Rhein Sonnen Stern Turm Tor Wall Graben Brunnen Fisch Salz Korn Hopfen
Ludwig Maximilian Wilhelm Leopold Friedrich Luisen Theresien Marien Sophien Viktoria Nordend Südend Werk Industrie""".split()
STREET_B = "straße straße straße straße weg allee gasse platz ring ufer damm steig".split()
STREET_BAD = {"Ringring", "Torweg", "Marktplatzplatz", "Hauptweg", "Hauptgasse", "Hauptsteig", "Wallwall", "Hauptdamm"}

COMPANIES = """Siemens Bosch Continental Lufthansa Henkel Bayer Adidas Puma Miele Osram Zeiss Bertelsmann Fresenius Haribo
Rossmann Otto Zalando Vaillant Stihl Liebherr Swarovski Nestlé Novartis Roche Migros Logitech Raiffeisen Voestalpine
Red_Bull Philips Ericsson Nokia Ikea Volvo Maersk Lego Novo_Nordisk Renault Michelin L'Oréal Ferrero Barilla Pirelli
Santander Zara Škoda Gazprom Toyota Sony Nintendo Samsung Hyundai Huawei Alibaba Tata Infosys Microsoft Google
Amazon Netflix Intel Nvidia Boeing Airbus Rolls-Royce Unilever Shell BP BASF BMW SAP VW RWE E.ON K+S ZF TÜV_Süd ThyssenKrupp
H&M C&A Ernst_&_Young Procter_&_Gamble Johnson_&_Johnson Heckler_&_Koch Villeroy_&_Boch Dussmann Giesecke+Devrient""".split()
COMPANIES = [c.replace("_", " ") for c in COMPANIES]
BRAND_A = "Nova Agri Medi Solar Elektro Alpen Nord Rhein Hydro Thermo Opti Logi Data Quanti Ceram Bio Velo Aqua Micro Tele Enviro Inno Kryo Lumi Vela Zeta Axi Omni Terra Helio".split()
BRAND_B = "tec tech plan werk data med flow net pharm plast log soft chem bau max ton lux pro via gen con trans mobil therm is ris vio dyn".split()

WORKS = """Die Zauberflöte=The Magic Flute;Der Zauberberg=The Magic Mountain;Im Westen nichts Neues=All Quiet on the Western Front;
Die Verwandlung=The Metamorphosis;Der Prozess=The Trial;Das Schloss=The Castle;Die Räuber=The Robbers;Krieg und Frieden=War and Peace;
Der kleine Prinz=The Little Prince;Die Dreigroschenoper=The Threepenny Opera;Mutter Courage und ihre Kinder=Mother Courage and Her Children;
Der fliegende Holländer=The Flying Dutchman;Schwanensee=Swan Lake;Der Nussknacker=The Nutcracker;Die unendliche Geschichte=The Neverending Story;
Das Leben der Anderen=The Lives of Others;Der Himmel über Berlin=Wings of Desire;Lola rennt=Run Lola Run;Das Boot=Das Boot;Faust=Faust;
Nathan der Weise=Nathan the Wise;Die Physiker=The Physicists;Der Besuch der alten Dame=The Visit;Ein Sommernachtstraum=A Midsummer Night's Dream;
Romeo und Julia=Romeo and Juliet;Hamlet=Hamlet;Die Möwe=The Seagull;Der Kirschgarten=The Cherry Orchard;Warten auf Godot=Waiting for Godot;
Die Hochzeit des Figaro=The Marriage of Figaro;Der Barbier von Sevilla=The Barber of Seville;Hänsel und Gretel=Hansel and Gretel;
Die lustige Witwe=The Merry Widow;Die Blechtrommel=The Tin Drum;Der Herr der Ringe=The Lord of the Rings;Vom Winde verweht=Gone with the Wind;
Die Kunst der Fuge=The Art of Fugue;Die Schöpfung=The Creation;Die vier Jahreszeiten=The Four Seasons;Carmen=Carmen;Aida=Aida;Tosca=Tosca;
Turandot=Turandot;Nosferatu=Nosferatu;Metropolis=Metropolis;Buddenbrooks=Buddenbrooks;Effi Briest=Effi Briest;Homo faber=Homo Faber;
Woyzeck=Woyzeck;Die Leiden des jungen Werthers=The Sorrows of Young Werther;Kabale und Liebe=Intrigue and Love;Wilhelm Tell=William Tell;
Der zerbrochne Krug=The Broken Jug;Alice im Wunderland=Alice in Wonderland;Die Brüder Karamasow=The Brothers Karamazov;
Schuld und Sühne=Crime and Punishment;Der alte Mann und das Meer=The Old Man and the Sea;Momo=Momo;1984=1984;Der Name der Rose=The Name of the Rose;
Die Winterreise=Winter Journey;Das Rheingold=The Rhine Gold;Die Walküre=The Valkyrie;Götterdämmerung=Twilight of the Gods;Der Freischütz=The Marksman;
Viel Lärm um nichts=Much Ado About Nothing;Der Sturm=The Tempest;Wie es euch gefällt=As You Like It;Die Wildente=The Wild Duck;Nora oder Ein Puppenheim=A Doll's House;
Stolz und Vorurteil=Pride and Prejudice;Die Schatzinsel=Treasure Island;In achtzig Tagen um die Welt=Around the World in Eighty Days;
Die Stadt der Blinden=Blindness;Hundert Jahre Einsamkeit=One Hundred Years of Solitude;Das Geisterhaus=The House of the Spirits""".replace("\n", "")
WORKS = [tuple(w.split("=")) for w in WORKS.split(";")]
T_ADJ = """still=Silent lang=Long letzt=Last blau=Blue dunkl=Dark leer=Empty weiß=White verloren=Lost fern=Distant neu=New rot=Red
kalt=Cold alt=Old grün=Green zweit=Second vergessen=Forgotten verboten=Forbidden golden=Golden fremd=Strange klein=Little
schwarz=Black warm=Warm hell=Bright gelb=Yellow erst=First dritt=Third unsichtbar=Invisible gebrochen=Broken silbern=Silver""".split()
T_ADJ = [tuple(w.split("=")) for w in T_ADJ]
T_NOUN = """m:Garten=Garden m:Winter=Winter m:Sommer=Summer m:Gast=Guest m:Spiegel=Mirror m:Koffer=Suitcase m:Brief=Letter m:Weg=Path m:Fluss=River
m:Turm=Tower m:Regen=Rain m:Traum=Dream m:Zug=Train m:Schatten=Shadow f:Stadt=City f:Nacht=Night f:Brücke=Bridge f:Insel=Island f:Reise=Journey
f:Straße=Street f:Tür=Door f:Stimme=Voice f:Grenze=Border f:Uhr=Clock f:Mauer=Wall f:Welle=Wave n:Haus=House n:Meer=Sea n:Licht=Light n:Zimmer=Room
n:Fenster=Window n:Lied=Song n:Kind=Child n:Versprechen=Promise n:Tal=Valley n:Jahr=Year n:Schiff=Ship n:Feld=Field""".split()
T_NOUN = [tuple(re.split("[:=]", w)) for w in T_NOUN]

# Nouns for frames: gender, German, English.
EVENTS = """f:Sitzung=meeting f:Besprechung=meeting m:Vortrag=lecture n:Konzert=concert f:Vorstellung=performance f:Führung=tour
m:Kurs=course n:Seminar=seminar m:Workshop=workshop f:Konferenz=conference f:Tagung=conference f:Feier=celebration f:Prüfung=exam
f:Anhörung=hearing f:Verhandlung=hearing f:Pressekonferenz=press_conference n:Webinar=webinar f:Messe=trade_fair f:Ausstellung=exhibition
f:Lesung=reading m:Gottesdienst=service n:Training=training_session n:Turnier=tournament m:Flohmarkt=flea_market f:Premiere=premiere f:Probe=rehearsal
f:Gala=gala f:Podiumsdiskussion=panel_discussion f:Preisverleihung=award_ceremony n:Vorstellungsgespräch=job_interview n:Sommerfest=summer_party
f:Mitgliederversammlung=general_meeting m:Elternabend=parents'_evening f:Auktion=auction m:Empfang=reception n:Interview=interview""".split()
THINGS = """n:Fahrrad=bike m:Kaffee=coffee n:Buch=book f:Jacke=jacket m:Stuhl=chair f:Lampe=lamp m:Tisch=table n:Handy=phone m:Laptop=laptop
f:Kamera=camera m:Drucker=printer n:Kleid=dress f:Tasche=bag m:Mantel=coat f:Uhr=watch m:Teppich=carpet n:Sofa=sofa m:Schrank=wardrobe n:Bild=picture
f:Karte=ticket f:Fahrkarte=ticket n:Menü=set_menu f:Suppe=soup m:Kuchen=cake n:Brot=bread m:Käse=cheese m:Wein=wine n:Hemd=shirt m:Rucksack=rucksack
f:Matratze=mattress f:Waschmaschine=washing_machine m:Kühlschrank=fridge m:Staubsauger=vacuum_cleaner n:Zelt=tent m:Helm=helmet n:Spiel=game
f:Gitarre=guitar n:Klavier=piano m:Kinderwagen=pram m:Blumenstrauß=bouquet f:Pizza=pizza m:Salat=salad n:Ladekabel=charging_cable""".split()
GROUPS = """Teilnehmer:Teilnehmern=participants Gäste:Gästen=guests Besucher:Besuchern=visitors Mitglieder:Mitgliedern=members Kinder:Kindern=children
Personen:Personen=people Schüler:Schülern=pupils Studierende:Studierenden=students Mitarbeiter:Mitarbeitern=employees Beschäftigte:Beschäftigten=employees
Zuschauer:Zuschauern=spectators Helfer:Helfern=helpers Freiwillige:Freiwilligen=volunteers Patienten:Patienten=patients Fans:Fans=fans
Touristen:Touristen=tourists Fachleute:Fachleuten=experts Journalisten:Journalisten=journalists Bewohner:Bewohnern=residents Ärzte:Ärzten=doctors
Demonstranten:Demonstranten=demonstrators Aussteller:Ausstellern=exhibitors Abgeordnete:Abgeordneten=members_of_parliament Familien:Familien=families
Haushalte:Haushalten=households Unternehmen:Unternehmen=companies Betriebe:Betrieben=businesses Läufer:Läufern=runners Musiker:Musikern=musicians""".split()
JOBS = """Lehrer:Lehrerin=teacher Arzt:Ärztin=doctor Ingenieur:Ingenieurin=engineer Bäcker:Bäckerin=baker Journalist:Journalistin=journalist
Anwalt:Anwältin=lawyer Schauspieler:Schauspielerin=actor Übersetzer:Übersetzerin=translator Dolmetscher:Dolmetscherin=interpreter
Architekt:Architektin=architect Programmierer:Programmiererin=programmer Musiker:Musikerin=musician Krankenpfleger:Krankenpflegerin=nurse
Koch:Köchin=cook Fotograf:Fotografin=photographer Regisseur:Regisseurin=director Historiker:Historikerin=historian
Physiker:Physikerin=physicist Biologe:Biologin=biologist Elektriker:Elektrikerin=electrician Polizist:Polizistin=police_officer""".split()
ROLES = """Bürgermeister:Bürgermeisterin=Mayor Bundeskanzler:Bundeskanzlerin=Chancellor Minister:Ministerin=Minister
Präsident:Präsidentin=President Außenminister:Außenministerin=Foreign_Minister Finanzminister:Finanzministerin=Finance_Minister
Richter:Richterin=Judge Staatsanwalt:Staatsanwältin=public_prosecutor Trainer:Trainerin=coach Regisseur:Regisseurin=director
Sprecher:Sprecherin=spokesperson Vorstandschef:Vorstandschefin=CEO Professor:Professorin=Professor Senator:Senatorin=Senator
Kommissar:Kommissarin=Inspector Geschäftsführer:Geschäftsführerin=managing_director Botschafter:Botschafterin=Ambassador
Verteidigungsminister:Verteidigungsministerin=Defence_Minister Gesundheitsminister:Gesundheitsministerin=Health_Minister
Ministerpräsident:Ministerpräsidentin=Prime_Minister Landrat:Landrätin=District_Administrator Projektleiter:Projektleiterin=project_manager
Chefarzt:Chefärztin=chief_physician Schulleiter:Schulleiterin=head_teacher Autor:Autorin=author Dirigent:Dirigentin=conductor""".split()


def _split(words):
    return [tuple(x.replace("_", " ") for x in re.split("[:=]", w)) for w in words]


EVENTS, THINGS, GROUPS, JOBS, ROLES = map(_split, (EVENTS, THINGS, GROUPS, JOBS, ROLES))
ARTICLE = {"n": {"m": "der", "f": "die", "n": "das"}, "a": {"m": "den", "f": "die", "n": "das"},
           "d": {"m": "dem", "f": "der", "n": "dem"}}

AGENDA = """Begrüßung=Welcome;Feststellung der Beschlussfähigkeit=Establishment of a quorum;Bericht des Vorstands=Report by the board;
Kassenbericht=Treasurer's report;Wahlen=Elections;Verschiedenes=Any other business;Haushaltsplan=Budget;Genehmigung des Protokolls=Approval of the minutes;
Anträge=Motions;Terminplanung=Scheduling;Personalfragen=Staff matters;Umbau des Foyers=Conversion of the foyer;Datenschutz=Data protection;
Zeitplan=Timetable;Kosten=Costs;Ziele=Objectives;Nächste Schritte=Next steps;Zusammenfassung=Summary;Fragen und Antworten=Questions and answers;
Einleitung=Introduction;Ausblick=Outlook;Technische Daten=Technical data;Öffnungszeiten=Opening hours;Anfahrt=Directions;Sicherheit=Safety;
Verpflegung=Catering;Unterkunft=Accommodation;Beschluss über den Mitgliedsbeitrag=Decision on the membership fee;Entlastung des Vorstands=Discharge of the board"""
AGENDA = [tuple(w.strip().split("=")) for w in AGENDA.split(";")]

EMOJI = "👍 🎉 🙂 🚀 😂 ❤️ 🙏 🔥 ✅ ⚠️ 📍 📞 📧 🎵 🎶 👏 😊 😅 🤝 💡 🏆 ⭐ 🎂 ☕ 🍕 🚆 ✈️ 🏠 📅 ⏰ 🔔 😀 😍 😢 🤔 💪 🌍 🌞 ❄️ ☀️ 🌧️ 🐶 🍀 🎁 🎤 🎬 📌 🛒 👋 🥳".split()
GREEK = "α β γ δ ε ζ η θ κ λ μ ν π ρ σ τ φ χ ψ ω Δ Θ Λ Π Σ Φ Ψ Ω".split()
SIGNS = "€ $ £ § & @ # → ← × ÷ ± ≤ ≥ ° % ‰ … » « „ “ – — * / + = © ® ™ µ Ω ≈ ≠ ∞ √ ↑ ↓ • ¥ ~ ^ | \\ _ { } [ ] < >".split()

# -------------------------------------------------------------- numbers ----

D1 = ("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
      "siebzehn achtzehn neunzehn").split()
D10 = "x x zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
E1 = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
      "seventeen eighteen nineteen").split()
E10 = "x x twenty thirty forty fifty sixty seventy eighty ninety".split()


def de_words(n):
    """German number word for 0 to 999 999; 1 is "eins"."""
    if n < 20:
        return D1[n]
    if n < 100:
        one = n % 10
        return (("ein" if one == 1 else D1[one]) + "und" if one else "") + D10[n // 10]
    if n < 1000:
        h, rest = divmod(n, 100)
        return ("ein" if h == 1 else D1[h]) + "hundert" + (de_words(rest) if rest else "")
    t, rest = divmod(n, 1000)
    head = "ein" if t == 1 else de_words(t)
    if head.endswith("eins"):
        head = head[:-1]
    return head + "tausend" + (de_words(rest) if rest else "")


def en_words(n):
    if n < 20:
        return E1[n]
    if n < 100:
        return E10[n // 10] + ("-" + E1[n % 10] if n % 10 else "")
    if n < 1000:
        h, rest = divmod(n, 100)
        return E1[h] + " hundred" + (" and " + en_words(rest) if rest else "")
    t, rest = divmod(n, 1000)
    tail = "" if not rest else (" and " if rest < 100 else " ") + en_words(rest)
    return en_words(t) + " thousand" + tail


def de_ord(n):
    """German ordinal without its ending: "dritt", "zwanzigst"."""
    special = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
    if n in special:
        return special[n]
    return de_words(n) + ("t" if n < 20 else "st")


def en_ord(n):
    special = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
    if n in special:
        return special[n]
    if n < 20:
        return E1[n] + "th"
    if n % 10 == 0:
        return E10[n // 10][:-1] + "ieth"
    return E10[n // 10] + "-" + en_ord(n % 10)


def en_ord_digits(n):
    if n % 100 in (11, 12, 13):
        return f"{n}th"
    return f"{n}" + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def group(n, sep):
    return f"{n:,}".replace(",", sep)


MONTHS_DE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
MONTHS_EN = "January February March April May June July August September October November December".split()
DAYS_DE = "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()
DAYS_EN = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

PLAIN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "o", "Ø": "O",
                       "å": "a", "Å": "A", "ł": "l", "Ł": "L", "ı": "i", "İ": "I", "đ": "d", "Đ": "D", "æ": "ae",
                       "Æ": "Ae", "þ": "th", "Þ": "Th", "ð": "d"})


def ascii_name(s):
    """Return a name in the form of an e-mail address."""
    s = unicodedata.normalize("NFD", s.translate(PLAIN))
    return re.sub(r"[^a-z0-9]+", "-", "".join(c for c in s if not unicodedata.combining(c)).lower()).strip("-")


# ---------------------------------------------------------------- slots ----

class Val:
    """The filling of a slot: German and English text.

    cap:  gets a capital at the start of a line (not: "iPhone", "x@y.de")
    keep: stays as it is when the line is written in capitals
    safe: can be read back from capitals (not: "McDonald", "Weiß")
    """
    __slots__ = ("de", "en", "cap", "keep", "safe")

    def __init__(self, de, en=None, cap=True, keep=False, safe=True):
        self.de, self.en = de, de if en is None else en
        self.cap, self.keep, self.safe = cap, keep, safe


def name_safe(s):
    for w in re.split(r"[ -]", s):
        if w in ("von", "van", "der", "den", "zu"):
            continue
        if not w or w != w.capitalize() or any(c in w for c in "ßıİ'") or w.upper().lower() != w.lower():
            return False
    return True


class Slots:
    """One method per kind of slot; each returns a Val."""

    def __init__(self, rng):
        self.r = rng

    # --- small helpers

    def any(self, *items):
        return self.r.choice(items)

    def p(self, share):
        return self.r.random() < share

    def int(self, a, b):
        return self.r.randint(a, b)

    def lint(self, a, b):
        """A number from a to b, small ones as often as large ones."""
        x = int(math.exp(self.r.uniform(math.log(a), math.log(b + 1))))
        x = max(a, min(b, x))
        if x > 300 and self.p(.5):
            step = 10 ** (len(str(x)) - self.int(1, 2))
            x = max(a, x // step * step)
        return x

    def digits(self, n):
        return "".join(self.r.choice("0123456789") for _ in range(n))

    def letters(self, n):
        return "".join(self.r.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n))

    # --- people

    def made_surname(self, origin):
        style = {"de": "de", "at": "de", "ch": "de", "tr": "tr", "pl": "pl", "sl": "sl", "sc": "sc", "it": "ro", "es": "ro",
                 "fr": "ro", "in": "in", "af": "af"}.get(origin, self.r.choice(list(MADE)))
        while True:
            if style == "tr":
                a, v, b = MADE[style][0], MADE[style][2], MADE[style][3]
                s = self.r.choice(a) + (self.r.choice(v) if self.p(.4) else "") + self.r.choice(b)
            else:
                a, v, m, b = MADE[style]
                s = self.r.choice(a) + self.r.choice(v)
                if style != "de" and self.p(.3):
                    s += self.r.choice(m)[0] + self.r.choice(v)
                end = self.r.choice(b)
                mid = self.r.choice(m)
                if style == "de" and len(s) > 2 and s[-2] in "aeiouä":
                    # no doubled consonant after "au", "ei", "ie" ...
                    mid = {"ck": "k", "ll": "l", "mm": "m", "nn": "n", "tt": "t", "tz": "z", "pp": "p", "ff": "f"}.get(mid, mid)
                s += (mid[0] if end[0] == mid[-1] else mid) + end
            if origin == "ch" and self.p(.3) and not s.endswith(("i", "e")):
                s += "i"
            s = s.replace("äuck", "auck").replace("ßß", "ß")
            if not BAD.search(s) and not re.search(r"(.)\1\1|[aeiou]{4}", s.lower()):
                return s

    def surname(self, origin, female):
        if self.p(.42) and origin not in ("cn", "vn", "ar", "en"):
            s = self.made_surname(origin)
        else:
            s = self.r.choice(NAMES[origin][2])
        if female:
            if origin == "pl":
                s = re.sub(r"([sc])ki$", r"\1ka", s)
            elif origin == "sl":
                if re.search(r"[ksc]ý$|[nlr]ý$", s):
                    s = s[:-1] + "á"
                elif s.endswith(("ov", "ev")):
                    s += "a"
        if origin == "sc" and female and s.endswith("sson") and self.p(.1):
            s = s[:-3] + "dóttir"
        k = self.r.random()
        if k < .05:
            s = s + "-" + self.one_surname(self.r.choice(("de", origin)))
        elif k < .07 and origin in ("de", "at"):
            s = self.any("von ", "von ", "von der ", "zu ") + s
        elif k < .075 and origin in ("de",):
            s = self.any("van ", "van den ", "van der ") + self.any("Berg", "Meer", "Velde", "Broek", "Linden", "Heuvel", "Bosch", "Dijk")
        elif k < .10 and origin == "es":
            s = s + " " + self.r.choice(NAMES["es"][2])
        return s

    def one_surname(self, origin):
        if self.p(.4) and origin not in ("cn", "vn", "ar", "en"):
            return self.made_surname(origin)
        return self.r.choice(NAMES[origin][2])

    def given(self, origin, female):
        s = self.r.choice(NAMES[origin][1 if female else 0])
        k = self.r.random()
        if origin in ("de", "fr", "at", "ch") and k < .06:
            t = self.r.choice(NAMES[origin][1 if female else 0])
            if t != s:
                s += "-" + t
        elif origin in ("cn", "vn"):
            pass
        elif k < .10:
            s += " " + self.letters(1) + "."
        return s

    def person(self, female):
        o = self.r.choice(ORIGINS)
        o2 = self.r.choice(ORIGINS) if self.p(.15) else o
        if "vn" in (o, o2) or "cn" in (o, o2):
            o2 = o
        g, s = self.given(o, female), self.surname(o2, female)
        if o == "vn" or (o == "cn" and self.p(.7)):
            return s + " " + g
        return g + " " + s

    def nm(self, s):
        return Val(s, safe=name_safe(re.sub(r" [A-Z]\.", "", s)))

    def s_Pf(self):
        return self.nm(self.person(True))

    def s_Pm(self):
        return self.nm(self.person(False))

    def s_P(self):
        return self.nm(self.person(self.p(.5)))

    def s_Vf(self):
        return self.nm(self.first(True))

    def s_Vm(self):
        return self.nm(self.first(False))

    def first(self, female):
        while True:
            o = self.r.choice(ORIGINS)
            if o != "vn":
                g = self.given(o, female)
                if "." not in g:
                    return g

    def s_V(self):
        return self.nm(self.first(self.p(.5)))

    def family(self, female=False):
        while True:
            s = self.surname(self.r.choice(ORIGINS), female)
            if " " not in s or s.startswith(("von ", "van ", "zu ")):
                return s

    def s_N(self):
        return self.nm(self.family())

    def honour(self, female, oblique):
        s = self.family(female)
        safe = name_safe(s)
        k = self.r.random()
        word = "Frau" if female else ("Herrn" if oblique else "Herr")
        if k < .78:
            return Val(word + " " + s, ("Ms " if female else "Mr ") + s, safe=safe)
        if k < .90:
            return Val(word + " Dr. " + s, "Dr " + s, safe=safe)
        if k < .95:
            return Val(word + " Prof. " + s, "Professor " + s, safe=safe)
        # "mit Herrn Professor Weber": the title itself is not inflected here
        return Val(word + (" Professorin " if female and self.p(.5) else " Professor ") + s, "Professor " + s, safe=safe)

    def s_Hf(self):
        return self.honour(True, False)

    def s_Hm(self):
        return self.honour(False, False)

    def s_Hmo(self):
        return self.honour(False, True)

    def s_Hn(self):
        return self.honour(self.p(.5), False)

    def s_Ho(self):
        return self.honour(self.p(.5), True)

    def s_T(self):
        s = self.person(self.p(.5)) if self.p(.8) else self.family()
        safe = name_safe(re.sub(r" [A-Z]\.", "", s))
        de, en = self.any(("Dr.", "Dr"), ("Dr.", "Dr"), ("Dr. med.", "Dr"), ("Dr.-Ing.", "Dr"), ("Prof.", "Professor"),
                          ("Prof. Dr.", "Professor"), ("Prof. Dr.", "Professor"), ("Professor", "Professor"))
        return Val(de + " " + s, en + " " + s, safe=safe)

    def s_RP(self):
        """Office and name; only as the subject of a sentence."""
        female = self.p(.5)
        m, f, en = self.r.choice(ROLES)
        s = self.person(female)
        return Val((f if female else m) + " " + s, en + " " + s, safe=name_safe(re.sub(r" [A-Z]\.", "", s)))

    def s_Fam(self):
        s = self.family()
        return Val("Familie " + s, "the " + s + " family", safe=name_safe(s))

    # --- places

    def made_town(self):
        while True:
            a, b = self.r.choice(TOWN_A), self.r.choice(TOWN_B)
            s = a + b
            if self.p(.1):
                s = self.any("Bad ", "Sankt ", "Groß ", "Klein ", "Alt ") + s
                if s.startswith("Sankt"):
                    s = "Bad " + a + b
            if self.p(.06):
                s += self.any(" an der Saale", " am Main", " am See", " im Allgäu", " an der Ruhr", " am Neckar")
            if a.lower() != b and not BAD.search(s) and not re.search(r"(.)\1\1", s.lower()):
                return s, s

    def s_O(self):
        k = self.r.random()
        de, en = (self.r.choice(TOWNS_DE) if k < .32 else self.r.choice(TOWNS_ATCH) if k < .44
                  else self.r.choice(TOWNS_INT) if k < .80 else self.made_town())
        return Val(de, en, safe="ß" not in en)

    def s_OD(self):
        """A town of a German-speaking country."""
        k = self.r.random()
        de, en = (self.r.choice(TOWNS_DE) if k < .55 else self.r.choice(TOWNS_ATCH) if k < .7 else self.made_town())
        return Val(de, en, safe="ß" not in en)

    def s_L(self):
        return Val(*self.r.choice(COUNTRIES))

    def country(self, i):
        if self.p(.3):
            c = self.r.choice(COUNTRIES_ART)
            return Val(c[i], ("in ", "from ", "to ")[i] + c[3])
        de, en = self.r.choice(COUNTRIES)
        return Val(("in ", "aus ", "nach ")[i] + de, ("in ", "from ", "to ")[i] + en)

    def s_inL(self):
        return self.country(0)

    def s_ausL(self):
        return self.country(1)

    def s_nachL(self):
        return self.country(2)

    def street(self):
        k = self.r.random()
        if k < .62:
            while True:
                s = self.r.choice(STREET_A) + self.any(*STREET_B)
                if s not in STREET_BAD and not s.lower().endswith(("ringring", "walldamm", "platzplatz", "dammdamm")):
                    return s
        if k < .78:
            n = self.r.choice(NAMES["de"][0] + NAMES["de"][1])
            return n + "-" + self.family().replace(" ", "-") + "-" + self.any("Straße", "Straße", "Weg", "Platz", "Allee")
        if k < .88:
            return self.any("Am ", "Am ", "Im ", "Am Alten ") + self.any("Bahnhof", "Markt", "Hang", "Weiher", "Sportplatz", "Steinbruch",
                                                                        "Mühlbach", "Kirchberg", "Rosengarten", "Stadtpark", "Hafen")
        if k < .94:
            return self.any("An der ", "Auf der ", "Hinter der ") + self.any("Mauer", "Kirche", "Höhe", "Brücke", "Mühle", "Wiese", "Halde")
        return self.made_town()[0].split()[-1] + "er Straße" if self.p(.6) else \
            self.any("Leipziger", "Wiener", "Berliner", "Hamburger", "Prager", "Kasseler", "Aachener") + self.any(" Straße", " Allee", " Platz", " Ring")

    def s_STR(self):
        n = str(self.lint(1, 240)) + (self.any("a", "b", "c", " A", "/3", "–" + "8", "/12") if self.p(.12) else "")
        if "–" in n:
            k = self.int(1, 80)
            n = f"{k}–{k + 2}"
        s = self.street() + " " + n
        return Val(s, safe=n.isdigit() and name_safe(s[:-len(n) - 1].replace("traße", "trasse")))

    def female_street(self):
        """A street that takes "die", "in der"."""
        while True:
            s = self.street()
            if s.lower().endswith(("straße", "allee", "gasse")):
                return s

    def s_STRz(self):
        s = self.female_street()
        return Val(s, safe=name_safe(s.replace("traße", "trasse")))

    def s_STRf(self):
        v = self.s_STRz()
        n = str(self.lint(1, 240))
        return Val(v.de + " " + n, safe=v.safe)

    def s_PLZ(self):
        k = self.r.random()
        if k < .75:
            de, en = self.r.choice(TOWNS_DE) if self.p(.6) else self.made_town()
            z = self.any("0", "1", "2", "3", "4", "5", "6", "7", "8", "9") + self.digits(4)
            if self.p(.04):
                z = "D-" + z
        else:
            de, en = self.r.choice(TOWNS_ATCH)
            z = self.any("1", "2", "3", "4", "5", "6", "7", "8", "9") + self.digits(3)
            if self.p(.2):
                z = self.any("A-", "CH-") + z
        return Val(z + " " + de, z + " " + en, safe="ß" not in en)

    def s_ADR(self):
        a, b = self.s_STR(), self.s_PLZ()
        return Val(a.de + ", " + b.de, a.en + ", " + b.en, safe=a.safe and b.safe)

    # --- firms, works

    def s_F(self):
        k = self.r.random()
        if k < .4:
            s = self.r.choice(COMPANIES)
        elif k < .7:
            s = self.r.choice(BRAND_A) + self.r.choice(BRAND_B)
            if self.p(.2):
                s += self.any(" Group", " Labs", " Systems", " International", " One")
        elif k < .88:
            a = self.family()
            s = a + " & " + self.any("Söhne", "Partner", "Co.", self.family(), self.family())
        else:
            s = self.family() + " " + self.any("Logistik", "Immobilien", "Reisen", "Consulting", "Verlag", "Touristik")
            if s.endswith("Verlag"):
                s = s[:-7] + " Media"
        return Val(s, keep=True, cap=False)

    def s_FG(self):
        """Firm with its legal form; German needs the article "die"."""
        base = self.any(self.family(), self.r.choice(BRAND_A) + self.r.choice(BRAND_B), self.family() + " " + self.any("Bau", "Metall", "Logistik", "Energie"))
        return Val(base + " " + self.any("GmbH", "GmbH", "AG", "GmbH & Co. KG", "KG", "SE", "OHG"), keep=True, cap=False)

    def made_title(self):
        def norm():
            a, n = self.r.choice(T_ADJ), self.r.choice(T_NOUN)
            return ARTICLE["n"][n[0]] + " " + a[0] + "e " + n[1], "the " + a[1] + " " + n[2]
        k = self.r.random()
        if k < .35:
            de, en = norm()
            return de[0].upper() + de[1:], "T" + en[1:]
        o = self.s_O()
        if k < .45:
            n = self.r.choice([x for x in T_NOUN if x[0] == "n" or x[0] == "f"])
            return ARTICLE["n"][n[0]].capitalize() + " " + n[1] + " in " + o.de, "The " + n[2] + " in " + o.en
        if k < .52:
            return "Briefe aus " + o.de, "Letters from " + o.en
        if k < .59:
            return "Nacht über " + o.de, "Night over " + o.en
        if k < .66:
            return "Ein Sommer in " + o.de, "A Summer in " + o.en
        if k < .73:
            v = self.first(self.p(.5))
            return v + " lernt fliegen", v + " Learns to Fly"
        if k < .85:
            v = self.first(self.p(.5))
            de, en = norm()
            return v + " und " + de, v + " and " + en
        a, b = self.r.choice(T_NOUN), self.r.choice(T_NOUN)
        if a == b:
            return "Stille", "Silence"
        art = "" if b[2] in ("Rain", "Light") else "an " if b[2][0] in "AEIOU" else "a "
        return a[1] + " ohne " + b[1], a[2] + " without " + art + b[2]

    def s_W(self):
        de, en = self.r.choice(WORKS) if self.p(.45) else self.made_title()
        return Val(de, en, safe="ß" not in en and not re.search(r"\b[a-zà-ÿ]\w*[A-Z]", en))

    # --- numbers

    def s_i(self):
        return Val(str(self.int(2, 20)))

    def s_nd(self):
        return Val(str(self.int(2, 99)))

    def s_nw(self):
        n = self.int(2, 12) if self.p(.7) else self.any(*[x for x in range(13, 100) if x % 10 != 1])
        return Val(de_words(n), en_words(n))

    def s_ns(self):
        """Small number, as a word or in digits."""
        n = self.int(2, 12)
        return Val(de_words(n), en_words(n)) if self.p(.6) else Val(str(n))

    def s_h(self):
        return Val(str(self.int(100, 999)))

    def s_age(self):
        return Val(str(self.int(18, 99)))

    def bare_hundred(self, w):
        """"einhundertzwanzig" is as often "hundertzwanzig"."""
        return w[3:] if w.startswith(("einhundert", "eintausend")) and self.p(.5) else w

    def s_decw(self):
        """Decimal number spoken out, up to two places."""
        a = self.int(0, 30)
        b = [self.int(1, 9)] + ([self.int(1, 9)] if self.p(.3) else [])
        return Val(de_words(a) + " Komma " + " ".join(de_words(x) for x in b), en_words(a) + " point " + " ".join(en_words(x) for x in b))

    def year_words(self, y):
        if y >= 2000:
            return de_words(y)
        return de_words(y // 100) + "hundert" + (de_words(y % 100) if y % 100 else "")

    def s_yw(self):
        """A year spoken out in German, in digits in English."""
        y = self.int(1450, 2030) if self.p(.3) else self.int(1900, 2030)
        return Val(self.year_words(y), str(y))

    def s_sha(self):
        return self.code("".join(self.r.choice("0123456789abcdef") for _ in range(self.any(7, 8, 12, 16))))

    def fmt(self, n):
        """A counted number in one of the German ways of writing it."""
        if n < 1000:
            return str(n), str(n)
        k = self.r.random()
        if n < 10000:
            if k < .18:
                return str(n), str(n)
            if k < .23:
                return group(n, " "), group(n, ",")
        else:
            if k < .22:
                return group(n, " "), group(n, ",")
            if k < .27:
                return group(n, "'"), group(n, ",")
        return group(n, "."), group(n, ",")

    def s_k(self):
        """A count in the thousands."""
        k = self.r.random()
        if k < .10:
            n = self.any(2000, 3000, 4000, 5000, 6000, 7000, 8000, 10000, 12000, 15000, 20000, 25000, 30000, 50000, 70000, 100000, 250000, 2500, 1200, 3600)
            return Val(self.bare_hundred(de_words(n)), en_words(n))
        return Val(*self.fmt(self.lint(1000, 990000)))

    def s_q(self):
        """A count from 2 up to some ten thousands."""
        k = self.r.random()
        if k < .15:
            return self.s_nw()
        if k < .45:
            return self.s_nd()
        if k < .65:
            return self.s_h()
        if k < .70:
            n = self.any(200, 300, 400, 500, 600, 800, 120, 150, 250, 350)
            return Val(self.bare_hundred(de_words(n)), en_words(n))
        return Val(*self.fmt(self.lint(1000, 90000)))

    def mio(self, short=False):
        """Millions and more; plural in any case."""
        k = self.r.random()
        de_u, en_u, ab = self.any(("Millionen", "million", "Mio."), ("Millionen", "million", "Mio."), ("Milliarden", "billion", "Mrd."),
                                  ("Milliarden", "billion", "Mrd."), ("Billionen", "trillion", "Bio."))
        if k < .25 and not short:
            n = self.int(2, 12)
            return Val(de_words(n) + " " + de_u, en_words(n) + " " + en_u)
        if k < .30 and not short and de_u != "Billionen":
            return self.any(Val("anderthalb " + de_u, "one and a half " + en_u), Val("zweieinhalb " + de_u, "two and a half " + en_u),
                            Val("dreieinhalb " + de_u, "three and a half " + en_u))
        if k < .55:
            x = str(self.lint(2, 900))
        elif k < .9:
            x = f"{self.lint(1, 400)},{self.int(1, 9)}"
        else:
            x = f"{self.lint(1, 90)},{self.int(10, 99)}"
        if short:
            return Val(f"{x} {ab}", f"{x.replace(',', '.')} {en_u}")
        return Val(f"{x} {de_u}", f"{x.replace(',', '.')} {en_u}")

    def s_ppl(self):
        """Number of people in a country or town."""
        k = self.r.random()
        if k < .5:
            return Val(*self.fmt(self.lint(1000, 990000)))
        x = f"{self.lint(1, 300)},{self.int(1, 9)}" if self.p(.6) else str(self.lint(2, 300))
        if k < .56:
            return self._long()
        return Val(x + " Millionen", x.replace(",", ".") + " million")

    def _long(self):
        n = self.lint(1000000, 900000000)
        if self.p(.25):
            return Val(group(n, " "), group(n, ","))
        return Val(group(n, "."), group(n, ","))

    def dec(self, lo, hi, places=None):
        """Decimal number as a pair of strings."""
        pl = places or self.any(1, 1, 1, 2)
        x = self.r.uniform(lo, hi)
        s = f"{x:,.{pl}f}"
        if s.endswith("0") and pl == 1 and self.p(.7):
            s = s[:-1] + str(self.int(1, 9))
        de = s.replace(",", "\0").replace(".", ",").replace("\0", ".")
        return de, s

    def s_dec(self):
        k = self.r.random()
        if k < .6:
            return Val(*self.dec(1, 99))
        if k < .75:
            return Val(*self.dec(0.001, 1, self.int(2, 4)))
        if k < .9:
            return Val(*self.dec(1000, 99999, 2))
        return Val(*self.dec(1, 20, self.int(3, 5)))

    def s_pct(self):
        k = self.r.random()
        if k < .5:
            de = en = str(self.lint(2, 100))
        elif k < .92:
            de, en = self.dec(0.1, 99.9)
        else:
            n = self.any(*[x for x in range(2, 101) if x % 10 in (0, 5) or x < 13])
            return Val(de_words(n) + " Prozent", en_words(n) + " percent") if n < 100 else Val("hundert Prozent", "one hundred percent")
        k = self.r.random()
        if k < .45:
            return Val(de + " Prozent", en + " percent")
        return Val(de + (" %" if k < .8 else "%"), en + "%")

    def s_pts(self):
        """Percentage points, dative: after "von"."""
        n = str(self.int(2, 30))
        de, en = (n, n) if self.p(.5) else self.dec(0.1, 12, 1)
        return Val(de + " Prozentpunkten", en + " percentage points")

    def ordinal(self, end, lo=1, hi=40):
        n = self.int(lo, hi)
        if self.p(.45):
            return Val(f"{n}.", en_ord_digits(n))
        if n > 20:
            n = n % 12 + 1
        return Val(de_ord(n) + end, en_ord(n))

    def s_ordn(self):
        return self.ordinal("en")

    def s_orde(self):
        return self.ordinal("e")

    def s_ordk(self):
        """Small ordinal with -en: floor, row, attempt."""
        return self.ordinal("en", 1, 12)

    def s_fr(self):
        return self.any(Val("zwei Drittel", "two thirds"), Val("drei Viertel", "three quarters"), Val("zwei Fünftel", "two fifths"),
                        Val("drei Fünftel", "three fifths"), Val("vier Fünftel", "four fifths"), Val("fünf Sechstel", "five sixths"),
                        Val("drei Achtel", "three eighths"), Val("sieben Achtel", "seven eighths"), Val("neun Zehntel", "nine tenths"),
                        Val("drei Zehntel", "three tenths"), Val("sieben Zehntel", "seven tenths"), Val("2/3"), Val("3/4"), Val("4/5"))

    def s_frone(self):
        return self.any(Val("ein Drittel", "a third"), Val("ein Viertel", "a quarter"), Val("ein Fünftel", "a fifth"),
                        Val("ein Sechstel", "a sixth"), Val("ein Zehntel", "a tenth"), Val("ein Achtel", "an eighth"))

    def s_mal(self):
        n = self.int(2, 12) if self.p(.7) else self.int(13, 60)
        en = "twice" if n == 2 else (en_words(n) if n < 13 else str(n)) + " times"
        if n < 13 and self.p(.7):
            return Val(de_words(n) + "mal", en)
        return Val(f"{n}-mal", "twice" if n == 2 else f"{n} times")

    def s_rng(self):
        a = self.lint(2, 200)
        b = a + self.any(1, 2, 3, 5, 10, 20)
        k = self.r.random()
        if k < .45:
            return Val(f"{a} bis {b}", f"{a} to {b}")
        if k < .6 and b < 13:
            return Val(f"{de_words(a)} bis {de_words(b)}", f"{en_words(a)} to {en_words(b)}")
        return Val(f"{a}–{b}") if k < .8 else Val(f"{a}-{b}")

    def s_zw(self):
        a = self.lint(2, 900)
        b = a + self.any(1, 2, 3, 5, 10, 50, 100)
        if b < 13 and self.p(.6):
            return Val(f"zwischen {de_words(a)} und {de_words(b)}", f"between {en_words(a)} and {en_words(b)}")
        return Val(f"zwischen {a} und {b}", f"between {a} and {b}")

    def s_prom(self):
        de, en = self.dec(0.3, 3.2, self.any(1, 2))
        return self.any(Val(de + " Promille", en + " per mille"), Val(de + " ‰", en + "‰"), Val(de + "‰", en + "‰"))

    def s_mill(self):
        return Val(*[x + y for x, y in zip(self.dec(1.1, 9.9, self.any(1, 1, 2)), (" Millionen", " million"))])

    def s_idx(self):
        return Val(*self.dec(9000, 24000, self.any(1, 2)))

    def s_usd(self):
        return Val(*self.dec(0.85, 1.45, self.any(2, 4)))

    def s_ct(self):
        return Val(*self.dec(8, 49, self.any(1, 2)))

    def s_degd(self):
        n = self.dec(1.1, 5, 1)
        return Val(n[0] + " Grad", n[1] + " degrees")

    def s_degn(self):
        n = self.any(str(self.int(2, 180)), str(self.int(2, 359)), None)
        de, en = (n, n) if n else self.dec(1, 180, 1)
        return Val(de + "°", en + "°") if self.p(.6) else Val(de + " Grad", en + " degrees")

    def s_tol(self):
        return Val(*self.dec(0.01, 5, self.any(1, 2, 3)))

    def s_bp(self):
        a, b = self.int(95, 185), self.int(55, 110)
        return Val(f"{a} zu {b}", f"{a} over {b}") if self.p(.6) else Val(f"{a}/{b}")

    def s_fever(self):
        de, en = self.dec(37.6, 41, 1)
        return Val(de + " Grad", en + " degrees") if self.p(.7) else Val(de + " °C", en + " °C")

    def s_tempp(self):
        n = self.int(2, 40)
        return self.any(Val(f"{n} Grad", f"{n} degrees"), Val(f"{n} °C"), Val(f"{n} Grad Celsius", f"{n} degrees Celsius"), Val(f"{n}°"),
                        Val(f"{n} bis {n + 3} Grad", f"{n} to {n + 3} degrees"), Val(f"{de_words(n)} Grad", f"{en_words(n)} degrees"))

    def s_mmm(self):
        return self.unit([("mm", "mm"), ("Millimeter", "millimetres")], 2, 180, .2)

    def s_hpa(self):
        n = self.int(960, 1045)
        de, en = self.fmt(n)
        return Val(de + " hPa", en + " hPa") if self.p(.6) else Val(de + " Hektopascal", en + " hectopascals")

    def s_gram(self):
        return Val(*self.fmt(self.int(2100, 4900)))

    def s_ly(self):
        return Val(*self.dec(4, 90, 1)) if self.p(.4) else Val(*self.fmt(self.lint(12, 90000)))

    def s_ofen(self):
        return Val(str(self.int(14, 25) * 10))

    def s_milj(self):
        return self.any(Val(*[x + y for x, y in zip(self.dec(3.9, 4.9, self.any(1, 2, 3)), (" Milliarden", " billion"))]),
                        Val("viereinhalb Milliarden", "four and a half billion"))

    def s_rich(self):
        return Val(*self.dec(2, 9, 1))

    def s_rd(self):
        return Val(self.any("100", "200", "400", "800", "110"))

    def s_jump(self):
        de, en = self.dec(5, 8.9, 2)
        return self.any(Val(de + " Meter", en + " metres"), Val(de + " m", en + " m"))

    def s_kilo(self):
        n = self.int(42, 130)
        return self.any(Val(f"{n} Kilo", f"{n} kilos"), Val(f"{n} kg"))

    def s_hgt(self):
        n = self.int(145, 209)
        de, en = f"{n // 100},{n % 100:02d}", f"{n // 100}.{n % 100:02d}"
        return self.any(Val(de + " m", en + " m"), Val(de + " Meter", en + " metres"), Val(f"{n} cm"), Val(f"{n} Zentimeter", f"{n} centimetres"))

    def s_mald(self):
        n = self.int(2, 4)
        en = "twice" if n == 2 else en_words(n) + " times"
        return Val(de_words(n) + "mal", en)

    def s_omin(self):
        n = self.int(2, 90)
        return Val(f"{n}.", en_ord_digits(n))

    def s_ordz(self):
        return self.any(Val("Dritte", "three"), Val("Vierte", "four"), Val("Fünfte", "five"), Val("Sechste", "six"), Val("Achte", "eight"), Val("Zehnte", "ten"), Val("Zwanzigste", "twenty"))

    def s_rngs(self):
        a = self.int(2, 11)
        b = a + self.int(1, 4)
        return self.any(Val(f"{a} bis {b}", f"{a} to {b}"), Val(f"{de_words(a)} bis {de_words(b)}", f"{en_words(a)} to {en_words(b)}"), Val(f"{a}–{b}"))

    def s_dig(self):
        return Val(str(self.int(1, 9)))

    def s_divi(self):
        a, b = self.int(11, 99), self.any(2, 4, 5, 8, 10, 20)
        x = f"{a / b:.4f}".rstrip("0").rstrip(".")
        return Val(f"{a} geteilt durch {b} ist {x.replace('.', ',')}", f"{a} divided by {b} is {x}")

    def s_ordr(self):
        v = self.ordinal("er", 2, 12)
        return v

    def s_neg(self):
        de, en = self.dec(2, 9999, 2)
        m = self.any("-", "−", "–")
        if self.p(.3):
            n = self.int(2, 900)
            return Val(f"minus {n} Euro", f"minus {n} euros")
        return Val(f"{m}{de} €", f"{m}€{en}")

    def s_negp(self):
        de, en = self.dec(0.1, 9, self.any(1, 2))
        m = self.any("-", "−")
        return self.any(Val(f"{m}{de} %", f"{m}{en}%"), Val(f"minus {de} Prozent", f"minus {en} percent"), Val(f"{m}{de}", f"{m}{en}"))

    def s_pin(self):
        return self.code(self.digits(4))

    def s_lowl(self):
        return self.code(self.any(*"abcdefgh"))

    # --- money

    def s_spr(self):
        de, en = self.dec(1.2, 2.3, self.any(2, 3))
        return self.any(Val(de + " €", "€" + en), Val(de + " Euro", en + " euros"), Val(de + "€", "€" + en))

    CUR_WORD = [("Euro", "euros"), ("Euro", "euros"), ("Euro", "euros"), ("Euro", "euros"), ("Franken", "francs"),
                ("Schweizer Franken", "Swiss francs"), ("Dollar", "dollars"), ("US-Dollar", "US dollars"), ("Pfund", "pounds"),
                ("Yen", "yen"), ("Złoty", "złoty"), ("Kronen", "kroner")]
    CUR_SIGN = ["€"] * 6 + ["$", "$", "£", "£"]

    def money(self, lo, hi, cents):
        k = self.r.random()
        n = max(2, self.lint(lo, hi))
        cents = cents and self.p(.5)
        if cents:
            c = self.any(50, 99, 95, 90, 80, 20, 49, self.int(1, 99))
            de, en = group(n, ".") + f",{c:02d}", group(n, ",") + f".{c:02d}"
        else:
            de, en = self.fmt(n)
        if k < .34:
            w = self.r.choice(self.CUR_WORD[:9] if cents else self.CUR_WORD)
            return Val(de + " " + w[0], en + " " + w[1])
        if k < .72:
            s = self.r.choice(self.CUR_SIGN)
            f = self.r.random()
            g = f"{de} {s}" if f < .6 else f"{de}{s}" if f < .85 else f"{s} {de}" if f < .94 else f"{s}{de}"
            return Val(g, s + en)
        if k < .80:
            z = self.any("CHF", "CHF", "EUR", "USD", "GBP", "PLN", "SEK")
            return Val(f"{z} {de}" if self.p(.5) else f"{de} {z}", f"{z} {en}")
        if k < .84 and not cents:
            return Val(f"{n},- €" if n < 1000 else f"{n} €", f"€{n}")
        if k < .92:
            if n > 100000:
                n = n // 1000 * 1000
            if n > 1000:
                n = n // 100 * 100
            n = n if n % 100 != 1 else n + 1
            w = self.r.choice(self.CUR_WORD[:7])
            return Val(self.bare_hundred(de_words(n)) + " " + w[0], en_words(n) + " " + w[1])
        if cents:
            return Val(f"{group(n, '.')} Euro {c:02d}", f"{group(n, ',')} euros {c:02d}") if c > 9 else Val(de + " €", "€" + en)
        return Val(de + " Euro", en + " euros")

    def s_pr(self):
        if self.p(.07):
            n = self.int(2, 99)
            return Val(f"{n} Cent", f"{n} cents")
        return self.money(2, 400, True)

    def s_prb(self):
        return self.money(300, 400000, False) if self.p(.7) else self.money(300, 40000, True)

    def s_prm(self):
        k = self.r.random()
        if k < .45:
            v = self.mio()
            w = self.r.choice(self.CUR_WORD)
            return Val(v.de + " " + w[0], v.en + " " + w[1])
        s = self.r.choice(self.CUR_SIGN)
        v = self.mio(short=self.p(.6))
        if not v.de[0].isdigit():
            return Val(v.de + " Euro", v.en + " euros")
        if k < .75:
            return Val(v.de + " " + s, s + v.en)
        w = self.r.choice(self.CUR_WORD)
        return Val(v.de + " " + w[0], v.en + " " + w[1])

    def s_prone(self):
        """As s_prm, also "eine Million"; not in the dative."""
        if self.p(.5):
            return self.s_prm()
        u = self.any(("Million", "million"), ("Milliarde", "billion"), ("Billion", "trillion"))
        w = self.r.choice(self.CUR_WORD)
        return Val("eine " + u[0] + " " + w[0], "one " + u[1] + " " + w[1])

    def s_prr(self):
        """A range of prices."""
        a = self.lint(5, 900)
        b = a + self.any(1, 2, 5, 10, 20, 50, 100)
        k = self.r.random()
        if k < .5:
            return Val(f"{a} bis {b} Euro", f"{a} to {b} euros")
        if k < .75:
            return Val(f"{a} bis {b} €", f"€{a} to €{b}")
        return Val(f"{a}–{b} €", f"€{a}–{b}")

    # --- units

    def unit(self, units, lo, hi, frac=.4):
        de_u, en_u = self.r.choice(units)
        if self.p(frac):
            de, en = self.dec(lo, min(hi, 90), self.any(1, 1, 1, 2)) if hi < 1000 or self.p(.7) else self.dec(lo, hi, 1)
        else:
            n = self.lint(max(2, int(lo)), hi)
            if n < 13 and len(en_u) > 5 and self.p(.5):
                de, en = de_words(n), en_words(n)
            elif n < 1000:
                de = en = str(n)
            else:
                de, en = self.fmt(n)
        gap = "" if len(de_u) < 5 and self.p(.08) else " "
        return Val(de + gap + de_u, en + gap + en_u)

    def s_len(self):
        return self.any(lambda: self.unit([("m", "m"), ("Meter", "metres")], 2, 900), lambda: self.unit([("km", "km"), ("Kilometer", "kilometres")], 1.2, 2500))()

    def s_km(self):
        return self.unit([("km", "km"), ("Kilometer", "kilometres")], 1.5, 900, .3)

    def s_met(self):
        return self.unit([("m", "m"), ("Meter", "metres"), ("Meter", "metres")], 2, 4500, .2)

    def s_metm(self):
        return self.unit([("m", "m")], 300, 12000, 0)

    def s_mm(self):
        return self.unit([("mm", "mm"), ("cm", "cm"), ("Millimeter", "millimetres"), ("Zentimeter", "centimetres"), ("µm", "µm")], 1.2, 200)

    def s_wt(self):
        return self.unit([("kg", "kg"), ("Kilogramm", "kilograms"), ("Kilo", "kilos"), ("g", "g"), ("Gramm", "grams")], 1.5, 900)

    def s_ton(self):
        return self.unit([("t", "t"), ("Tonnen", "tonnes"), ("Tonnen", "tonnes")], 1.5, 90000, .3)

    def s_area(self):
        return self.unit([("m²", "m²"), ("Quadratmeter", "square metres"), ("qm", "m²")], 12, 4000, .2)

    def s_land(self):
        return self.unit([("ha", "ha"), ("Hektar", "hectares"), ("km²", "km²"), ("Quadratkilometer", "square kilometres")], 2, 90000, .3)

    def s_vol(self):
        return self.unit([("l", "l"), ("Liter", "litres"), ("ml", "ml"), ("Milliliter", "millilitres")], 1.2, 500, .3)

    def s_spd(self):
        return self.unit([("km/h", "km/h"), ("km/h", "km/h"), ("Stundenkilometer", "kilometres per hour"), ("Kilometer pro Stunde", "kilometres per hour"),
                          ("m/s", "m/s"), ("Knoten", "knots")], 5, 320, .15)

    def s_spdS(self):
        return self.unit([("km/h", "km/h")], 10, 320, .1)

    def s_kwh(self):
        return self.unit([("kWh", "kWh"), ("Kilowattstunden", "kilowatt hours"), ("MWh", "MWh"), ("Megawattstunden", "megawatt hours"),
                          ("GWh", "GWh"), ("Gigawattstunden", "gigawatt hours")], 2, 90000, .3)

    def s_pow(self):
        return self.unit([("kW", "kW"), ("Kilowatt", "kilowatts"), ("MW", "MW"), ("Megawatt", "megawatts"), ("Megawatt", "megawatts")], 2, 900, .25)

    def s_watt(self):
        return self.unit([("W", "W"), ("Watt", "watts"), ("kW", "kW")], 2, 200, .2)

    def s_ps(self):
        return self.unit([("PS", "hp")], 40, 900, 0)

    def s_volt(self):
        return self.unit([("V", "V"), ("Volt", "volts"), ("kV", "kV")], 1.5, 900, .3)

    def s_strom(self):
        return self.unit([("A", "A"), ("Ampere", "amperes"), ("mA", "mA")], 1.5, 900, .3)

    def s_ohm(self):
        return self.unit([("Ω", "Ω"), ("kΩ", "kΩ"), ("MΩ", "MΩ"), ("Ohm", "ohms")], 1.5, 900, .3)

    def s_cap(self):
        return self.unit([("µF", "µF"), ("nF", "nF"), ("pF", "pF")], 1.5, 900, .3)

    def s_data(self):
        return self.unit([("GB", "GB"), ("MB", "MB"), ("TB", "TB"), ("Gigabyte", "gigabytes"), ("Megabyte", "megabytes"), ("KB", "KB")], 2, 900, .3)

    def s_net(self):
        return self.unit([("Mbit/s", "Mbit/s"), ("MB/s", "MB/s"), ("Gbit/s", "Gbit/s")], 2, 900, .2)

    def s_hz(self):
        return self.unit([("Hz", "Hz"), ("kHz", "kHz"), ("GHz", "GHz"), ("MHz", "MHz"), ("Hertz", "hertz")], 2, 900, .4)

    def s_mg(self):
        return self.unit([("mg", "mg"), ("µg", "µg"), ("Milligramm", "milligrams"), ("ml", "ml")], 2, 800, .3)

    def s_conc(self):
        return self.unit([("µg/m³", "µg/m³"), ("mg/l", "mg/l"), ("ppm", "ppm"), ("mmol/l", "mmol/l"), ("µg/l", "µg/l"), ("g/cm³", "g/cm³")], 1.1, 400, .5)

    def s_temp(self):
        n = self.int(2, 40)
        k = self.r.random()
        if k < .25:
            de, en = self.dec(1, 40, 1)
        elif k < .35:
            n = self.int(2, 12)
            return Val(de_words(n) + " Grad", en_words(n) + " degrees")
        else:
            de = en = str(n)
        k = self.r.random()
        if k < .12:
            de, en = "minus " + de, "minus " + en
            k = .8
        elif k < .24:
            sg = self.any("-", "−")
            de, en = sg + de, sg + en
            k = self.any(.3, .8)
        if k < .55:
            gap = self.any(" ", " ", "")
            return Val(de + gap + "°C", en + gap + "°C")
        return self.any(Val(de + " Grad", en + " degrees"), Val(de + " Grad Celsius", en + " degrees Celsius"), Val(de + "°", en + "°"))

    def duration(self, dative, long=None):
        table = [("Minuten", "Minuten", "minutes", 90), ("Stunden", "Stunden", "hours", 48), ("Tage", "Tagen", "days", 40),
                 ("Wochen", "Wochen", "weeks", 20), ("Monate", "Monaten", "months", 30), ("Jahre", "Jahren", "years", 60),
                 ("Sekunden", "Sekunden", "seconds", 90)]
        if long is True:
            table = table[3:6]
        elif long is False:
            table = table[:2]
        a, d, e, top = self.r.choice(table)
        u = d if dative else a
        k = self.r.random()
        if k < .10 and u not in ("Minuten", "Sekunden"):
            return self.any(Val("anderthalb " + u, "one and a half " + e), Val("eineinhalb " + u, "one and a half " + e),
                            Val("zweieinhalb " + u, "two and a half " + e), Val("dreieinhalb " + u, "three and a half " + e))
        if k < .18 and e == "hours":
            return Val("einer halben Stunde" if dative else "eine halbe Stunde", "half an hour")
        if k < .24 and e == "hours":
            x = self.dec(1.1, 9.9, 1)
            return Val(x[0] + " " + u, x[1] + " " + e)
        if k < .62:
            n = self.int(2, min(top, 12))
            return Val(de_words(n) + " " + u, en_words(n) + " " + e)
        n = self.int(2, top)
        return Val(f"{n} {u}", f"{n} {e}")

    def s_dur(self):
        return self.duration(False)

    def s_durd(self):
        return self.duration(True, True)

    def s_durl(self):
        """A long time, accusative: weeks, months, years."""
        return self.duration(False, True)

    def s_durs(self):
        """A short time, accusative: minutes, hours."""
        return self.duration(False, False)

    def s_dursd(self):
        return self.duration(True, False)

    # --- clock and calendar

    def en_time(self, h, m, show):
        h %= 24
        if h == 0 and m == 0:
            return "midnight"
        if h == 12 and m == 0:
            return "12 noon"
        return f"{(h - 1) % 12 + 1}" + (f":{m:02d}" if show or m else "") + (" a.m." if h < 12 else " p.m.")

    def s_uhr(self):
        """Time of day with "Uhr"."""
        h = self.int(6, 22) if self.p(.85) else self.int(0, 24)
        if self.p(.33):
            return Val(f"{h} Uhr", self.en_time(h, 0, False))
        m = self.int(0, 59) if self.p(.4) else self.any(0, 15, 30, 45, 10, 20, 40, 50, 5, 55)
        if h == 24:
            m = 0
        hh = f"{h:02d}" if self.p(.2) else str(h)
        k = self.r.random()
        if k < .6:
            de = f"{hh}:{m:02d} Uhr"
        elif k < .88:
            de = f"{hh}.{m:02d} Uhr"
        else:
            de = f"{h} Uhr {m:02d}" if m else f"{h} Uhr"
            return Val(de, self.en_time(h, m, False))
        return Val(de, self.en_time(h, m, True))

    def clock_words(self):
        """Spoken time: "halb vier", "Viertel nach acht"."""
        h = self.int(1, 12)
        nxt = h % 12 + 1
        w = lambda x: de_words(x)
        k = self.r.random()
        if k < .28:
            return "halb " + w(nxt), "half past " + en_words(h)
        if k < .45:
            return "Viertel nach " + w(h), "quarter past " + en_words(h)
        if k < .60:
            return "Viertel vor " + w(h), "quarter to " + en_words(h)
        if k < .64:
            return "drei viertel " + w(nxt), "quarter to " + en_words(nxt)
        m = self.any(5, 10, 20, 3, 2)
        if k < .78:
            return de_words(m) + " nach " + w(h), en_words(m) + " past " + en_words(h)
        if k < .92:
            return de_words(m) + " vor " + w(h), en_words(m) + " to " + en_words(h)
        if k < .96:
            return "fünf vor halb " + w(nxt), "twenty-five past " + en_words(h)
        return "fünf nach halb " + w(nxt), "twenty-five to " + en_words(nxt)

    def s_um(self):
        """When: "um 15:30 Uhr" -> "at 3:30 p.m."."""
        k = self.r.random()
        if k < .50:
            u = self.s_uhr()
            return Val("um " + u.de, "at " + u.en)
        if k < .72:
            de, en = self.clock_words()
            return Val("um " + de, "at " + en)
        h = self.int(1, 12)
        if k < .80:
            return Val(f"um {h}", f"at {h}") if self.p(.6) else Val("um " + de_words(h), "at " + en_words(h))
        if k < .85:
            return Val("um " + ("ein" if h == 1 else de_words(h)) + " Uhr", "at " + en_words(h) + " o'clock")
        if k < .91:
            part, hrs, en = self.any(("morgens", (5, 6, 7, 8, 9), "in the morning"), ("abends", (6, 7, 8, 9, 10), "in the evening"),
                                     ("nachmittags", (2, 3, 4, 5), "in the afternoon"), ("nachts", (2, 3, 4), "in the morning"),
                                     ("vormittags", (9, 10, 11), "in the morning"))
            h = self.any(*hrs)
            return Val(f"um {de_words(h)} Uhr {part}", f"at {en_words(h)} {en}") if self.p(.5) else Val(f"um {h} Uhr {part}", f"at {h} {en}")
        if k < .94:
            h, m = self.int(7, 22), self.any(10, 15, 20, 30, 40, 45)
            return Val(f"um {de_words(h)} Uhr {de_words(m)}", "at " + self.en_time(h, m, True))
        if k < .97:
            u = self.s_uhr()
            return Val("gegen " + u.de, "at around " + u.en)
        return Val("kurz nach " + de_words(h), "shortly after " + en_words(h)) if self.p(.5) else \
            Val("kurz vor " + de_words(h), "shortly before " + en_words(h))

    def s_zr(self):
        """From ... to ... o'clock."""
        a = self.int(6, 14)
        b = a + self.int(2, 8)
        k = self.r.random()
        if k < .5:
            return Val(f"von {a} bis {b} Uhr", f"from {self.en_time(a, 0, False)} to {self.en_time(b, 0, False)}")
        m, n = self.any(0, 30, 15, 45), self.any(0, 30, 15, 45)
        sep = self.any(":", ":", ".")
        return Val(f"von {a}{sep}{m:02d} bis {b}{sep}{n:02d} Uhr", f"from {self.en_time(a, m, True)} to {self.en_time(b, n, True)}")

    def day(self, lo, hi):
        return date(lo, 1, 1) + timedelta(days=self.r.randrange((hi - lo + 1) * 365))

    def dates(self, lo, hi, year=None):
        """Date without a preposition, as a pair; year: True, False or either."""
        d = self.day(lo, hi)
        year = self.p(.6) if year is None else year
        mon = MONTHS_DE[d.month - 1]
        if mon == "Januar" and self.p(.15):
            mon = "Jänner"
        en = f"{d.day} {MONTHS_EN[d.month - 1]}"
        if not year:
            return (f"{d.day}. {mon}" if self.p(.85) else f"{d.day}.{d.month}."), en, d
        en += f" {d.year}"
        k = self.r.random()
        if k < .55:
            return f"{d.day}. {mon} {d.year}", en, d
        if k < .85:
            return f"{d.day:02d}.{d.month:02d}.{d.year}", en, d
        return f"{d.day}.{d.month}.{d.year}", en, d

    def s_tag(self):
        """Date for after "bis zum", "vom", "den"."""
        de, en, _ = self.dates(2024, 2032)
        return Val(de, en)

    def s_tagp(self):
        """A past date with its year."""
        de, en, _ = self.dates(1750, 2024, True)
        return Val(de, en)

    def on(self, lo, hi, year=None):
        k = self.r.random()
        de, en, d = self.dates(lo, hi, year)
        if k < .16 and year is not True:
            w = self.int(0, 6)
            if w == 5 and self.p(.15):
                return Val("am Sonnabend", "on Saturday")
            return Val("am " + DAYS_DE[w], "on " + DAYS_EN[w])
        if k < .36:
            w = d.weekday()
            return Val(f"am {DAYS_DE[w]}, den {de}", f"on {DAYS_EN[w]}, {en}")
        if k < .39:
            y = f" {d.year}"
            return Val(f"am {de_ord(d.day)}en {MONTHS_DE[d.month - 1]} {self.year_words(d.year) if self.p(.5) else d.year}", f"on {d.day} {MONTHS_EN[d.month - 1]}{y}")
        if k < .45 and not year:
            n = d.day if d.day < 20 else d.day % 12 + 1
            return Val(f"am {de_ord(n)}en {MONTHS_DE[d.month - 1]}", f"on {n} {MONTHS_EN[d.month - 1]}")
        return Val("am " + de, "on " + en)

    def s_am(self):
        return self.on(2024, 2032)

    def s_amt(self):
        """Part of a day."""
        w = self.int(0, 6)
        part = self.any(("morgen", "morning"), ("abend", "evening"), ("nachmittag", "afternoon"), ("vormittag", "morning"), ("mittag", "lunchtime"))
        return Val("am " + DAYS_DE[w] + part[0], "on " + DAYS_EN[w] + " " + part[1] if part[1] != "lunchtime" else "at lunchtime on " + DAYS_EN[w])

    def s_amp(self):
        return self.on(1850, 2024, True)

    def s_amr(self):
        return self.on(2005, 2025, True)

    def s_tagr(self):
        de, en, _ = self.dates(2005, 2025, True)
        return Val(de, en)

    def s_gb(self):
        de, en, _ = self.dates(1935, 2012, True)
        return Val("am " + de, "on " + en)

    def s_tr(self):
        """From day to day."""
        d = self.day(2024, 2031)
        e = d + timedelta(days=self.int(1, 20))
        y = f" {e.year}" if self.p(.5) and d.year == e.year else ""
        if d.month == e.month:
            return Val(f"vom {d.day}. bis {e.day}. {MONTHS_DE[e.month - 1]}{y}", f"from {d.day} to {e.day} {MONTHS_EN[e.month - 1]}{y}")
        if self.p(.3):
            return Val(f"vom {d.day:02d}.{d.month:02d}. bis {e.day:02d}.{e.month:02d}.{y.strip()}",
                       f"from {d.day} {MONTHS_EN[d.month - 1]} to {e.day} {MONTHS_EN[e.month - 1]}{y}")
        return Val(f"vom {d.day}. {MONTHS_DE[d.month - 1]} bis {e.day}. {MONTHS_DE[e.month - 1]}{y}",
                   f"from {d.day} {MONTHS_EN[d.month - 1]} to {e.day} {MONTHS_EN[e.month - 1]}{y}")

    def s_wd(self):
        w = self.int(0, 6)
        return Val(DAYS_DE[w], DAYS_EN[w])

    def s_mon(self):
        w = self.int(0, 11)
        return Val(MONTHS_DE[w], MONTHS_EN[w])

    def s_imM(self):
        """In a month, season or quarter to come or gone."""
        y = self.int(2024, 2033)
        k = self.r.random()
        w = self.int(0, 11)
        m, n = MONTHS_DE[w], MONTHS_EN[w]
        if k < .35:
            return Val(f"im {m} {y}", f"in {n} {y}")
        if k < .5:
            return Val(f"im {m}", f"in {n}")
        if k < .65:
            s = self.any(("Frühjahr", "spring"), ("Sommer", "summer"), ("Herbst", "autumn"))
            return Val(f"im {s[0]} {y}", f"in the {s[1]} of {y}")
        if k < .75:
            q = self.int(1, 4)
            return Val(f"im {q}. Quartal {y}", f"in the {en_ord(q)} quarter of {y}")
        if k < .82:
            q = self.int(1, 4)
            return Val(f"im {de_ord(q)}en Quartal {y}", f"in the {en_ord(q)} quarter of {y}")
        return self.any(Val(f"Anfang {m} {y}", f"at the beginning of {n} {y}"), Val(f"Mitte {m}", f"in mid-{n}"),
                        Val(f"Ende {m} {y}", f"at the end of {n} {y}"), Val(f"Ende {m}", f"at the end of {n}"))

    def s_jahr(self):
        return Val(str(self.int(1500, 1899) if self.p(.35) else self.int(1900, 2024)))

    def s_jn(self):
        """A year of our time."""
        return Val(str(self.int(1975, 2024)))

    def s_jf(self):
        return Val(str(self.int(2026, 2060)))

    def s_saison(self):
        y = self.int(1990, 2030)
        return Val(f"{y}/{(y + 1) % 100:02d}")

    def s_jj(self):
        a = self.int(1500, 2000)
        b = a + self.int(1, 60)
        return self.any(Val(f"von {a} bis {b}", f"from {a} to {b}"), Val(f"zwischen {a} und {b}", f"between {a} and {b}"))

    def s_jh(self):
        n = self.int(2, 21)
        de = f"{n}." if self.p(.7) else de_ord(n) + "en"
        en = en_ord_digits(n) if de.endswith(".") else en_ord(n)
        k = self.r.random()
        if k < .65:
            return Val(f"im {de} Jahrhundert", f"in the {en} century")
        n = self.int(1, 12)
        if k < .8:
            return Val(f"im {n}. Jahrhundert v. Chr.", f"in the {en_ord_digits(n)} century BC")
        if k < .86:
            return Val(f"im {n}. Jahrhundert n. Chr.", f"in the {en_ord_digits(n)} century AD")
        n = self.int(11, 20)
        return self.any(Val(f"zu Beginn des {n}. Jahrhunderts", f"at the beginning of the {en_ord_digits(n)} century"),
                        Val(f"Ende des {n}. Jahrhunderts", f"at the end of the {en_ord_digits(n)} century"),
                        Val(f"Mitte des {n}. Jahrhunderts", f"in the middle of the {en_ord_digits(n)} century"))

    def s_ojh(self):
        n = self.int(3, 20)
        return Val(f"{n}.", en_ord_digits(n)) if self.p(.7) else Val(de_ord(n) + "en", en_ord(n))

    def s_vb(self):
        a = self.int(1500, 2000)
        b = a + self.int(1, 60)
        return Val(f"von {a} bis {b}", f"from {a} to {b}")

    def s_wdz(self):
        w = self.int(0, 6)
        u = self.s_uhr()
        return Val(DAYS_DE[w].lower() + "s um " + u.de, "on " + DAYS_EN[w] + "s at " + u.en)

    def s_clk(self):
        if self.p(.4):
            return self.s_uhr()
        return Val(*self.clock_words())

    def s_bc(self):
        n = self.int(20, 900)
        return self.any(Val(f"im Jahr {n} v. Chr.", f"in {n} BC"), Val(f"{n} v. Chr.", f"in {n} BC"),
                        Val(f"um {n} n. Chr.", f"around AD {n}"), Val(f"im Jahr {n} n. Chr.", f"in AD {n}"))

    def s_dek(self):
        d = self.int(2, 9) * 10
        c = self.any(1900, 1900, 1900, 1800)
        w = {20: "Zwanzigern", 30: "Dreißigern", 40: "Vierzigern", 50: "Fünfzigern", 60: "Sechzigern", 70: "Siebzigern", 80: "Achtzigern", 90: "Neunzigern"}[d]
        e = {20: "twenties", 30: "thirties", 40: "forties", 50: "fifties", 60: "sixties", 70: "seventies", 80: "eighties", 90: "nineties"}[d]
        a = {20: "zwanziger", 30: "dreißiger", 40: "vierziger", 50: "fünfziger", 60: "sechziger", 70: "siebziger", 80: "achtziger", 90: "neunziger"}[d]
        return self.any(Val(f"in den {c + d}er-Jahren", f"in the {c + d}s"), Val(f"in den {c + d}er Jahren", f"in the {c + d}s"),
                        Val(f"in den {d}er-Jahren", f"in the {d}s"), Val(f"in den {d}er Jahren", f"in the {d}s"),
                        Val(f"in den {w}", f"in the {e}"), Val(f"in den {a} Jahren", f"in the {e}"),
                        Val(f"Anfang der {c + d}er-Jahre", f"in the early {c + d}s"), Val(f"Ende der {d}er-Jahre", f"in the late {d}s"),
                        Val(f"Mitte der {c + d}er Jahre", f"in the mid-{c + d}s"))

    # --- law, books

    LAWS = [("BGB", "the German Civil Code"), ("StGB", "the German Criminal Code"), ("StPO", "the German Code of Criminal Procedure"),
            ("ZPO", "the German Code of Civil Procedure"), ("HGB", "the German Commercial Code"), ("AufenthG", "the German Residence Act"),
            ("StVO", "the German Road Traffic Regulations"), ("UrhG", "the German Copyright Act"), ("AktG", "the German Stock Corporation Act")]

    def section(self):
        n, a, s = self.lint(1, 400), self.int(1, 7), self.int(1, 4)
        x = str(n) + (self.any("a", "b", "c") if self.p(.12) else "")
        long = self.p(.5)
        k = self.r.random()
        head = "Paragraf " if long else self.any("§ ", "§ ", "§ ", "§")
        ab = " Absatz " if long else " Abs. "
        if k < .4:
            return head + x, "Section " + x
        if k < .8:
            return f"{head}{x}{ab}{a}", f"Section {x}({a})"
        if k < .9:
            return f"{head}{x}{ab}{a} Satz {s}", f"Section {x}({a}), sentence {s}"
        return f"{head}{x}{ab}{a} " + ("Nummer " if long else "Nr. ") + str(s), f"Section {x}({a}), no. {s}"

    def s_par(self):
        de, en = self.section()
        if self.p(.4):
            law = self.r.choice(self.LAWS)
            return Val(de + " " + law[0], en + " of " + law[1])
        return Val(de, en)

    def s_pars(self):
        a = self.lint(1, 300)
        b = a + self.int(1, 9)
        return self.any(Val(f"§§ {a} bis {b}", f"Sections {a} to {b}"), Val(f"§§ {a} und {b}", f"Sections {a} and {b}"),
                        Val(f"die Paragrafen {a} bis {b}", f"Sections {a} to {b}"), Val(f"§§ {a} ff.", f"Sections {a} et seq."))

    def s_art(self):
        n, a = self.int(1, 146), self.int(1, 5)
        k = self.r.random()
        long = self.p(.6)
        de, en = ("Artikel " if long else "Art. ") + str(n), f"Article {n}"
        if k < .45:
            de, en = de + (" Absatz " if long else " Abs. ") + str(a), en + f"({a})"
        if k < .2 or k > .85:
            law = self.any(("des Grundgesetzes", "the Basic Law"), ("der DSGVO", "the GDPR"), ("der Verfassung", "the constitution"))
            de, en = de + " " + law[0], en + " of " + law[1]
        return Val(de, en)

    def s_S(self):
        n = self.lint(2, 900)
        k = self.r.random()
        if k < .7:
            return Val(f"Seite {n}", f"page {n}")
        if k < .85:
            return Val(f"Seite {n}, Zeile {n % 37 + 1}", f"page {n}, line {n % 37 + 1}")
        return Val(f"S. {n}", f"p. {n}")

    def s_page(self):
        n = self.lint(2, 900)
        return Val(f"Seite {n}", f"page {n}")

    def s_kap(self):
        n = self.int(1, 30)
        x = self.any(str(n), str(n), f"{n}.{self.int(1, 9)}", f"{n}.{self.int(1, 9)}.{self.int(1, 9)}")
        return Val("Kapitel " + x, "chapter " + x)

    def s_bib(self):
        b = self.any(("Johannes", "John"), ("Lukas", "Luke"), ("Matthäus", "Matthew"), ("Markus", "Mark"), ("Römer", "Romans"), ("1. Mose", "Genesis"),
                     ("2. Mose", "Exodus"), ("Jesaja", "Isaiah"), ("Psalm", "Psalm"), ("1. Korinther", "1 Corinthians"))
        c, v = self.int(1, 40), self.int(1, 30)
        if self.p(.3):
            return Val(f"{b[0]} {c},{v}–{v + 4}", f"{b[1]} {c}:{v}–{v + 4}")
        return Val(f"{b[0]} {c},{v}", f"{b[1]} {c}:{v}")

    # --- places to find: copied

    def code(self, s, en=None):
        return Val(s, en, cap=False, keep=True)

    def s_raum(self):
        return self.code(self.any(str(self.int(1, 480)), f"{self.int(0, 9)}.{self.int(1, 60):02d}", self.letters(1) + f" {self.int(1, 300)}",
                                  self.letters(1) + str(self.int(1, 300)), f"E{self.int(1, 40):02d}", f"{self.letters(1)}-{self.int(100, 499)}"))

    def s_gleis(self):
        return self.code(str(self.int(1, 26)) + (self.any("a", "b", " A–C", " D–F") if self.p(.15) else ""))

    def s_gate(self):
        return self.code(self.letters(1) + str(self.int(1, 80)))

    def s_zug(self):
        return self.code(self.any(f"ICE {self.int(10, 1700)}", f"IC {self.int(2000, 2500)}", f"RE {self.int(1, 99)}", f"RB {self.int(10, 99)}",
                                  f"EC {self.int(5, 390)}", f"RJ {self.int(50, 800)}", f"S{self.int(1, 60)}", f"U{self.int(1, 12)}", f"NJ {self.int(200, 500)}"))

    def s_flug(self):
        return self.code(self.any("LH", "OS", "LX", "BA", "AF", "TK", "SK", "LO", "EW", "KL", "QR") + self.any(" ", "") + str(self.int(100, 3999)))

    def s_kfz(self):
        return self.code(self.any("M", "B", "HH", "K", "KA", "DD", "L", "FR", "WÜ", "TÜ", "AÖ", "MÜ", "GÖ", "S", "F", "HB", "SLS", "HRO") + "-"
                         + self.letters(self.int(1, 2)) + " " + str(self.int(1, 9999)) + (self.any("E", "H") if self.p(.1) else ""))

    def s_mod(self):
        f = [lambda: f"iPhone {self.int(8, 19)}" + self.any("", " Pro", " mini", " Pro Max"), lambda: f"Galaxy S{self.int(8, 27)}" + self.any("", " Ultra", "+"),
             lambda: "ThinkPad " + self.any("X", "T", "E", "L") + str(self.int(1, 16)), lambda: f"RTX {self.int(20, 60)}{self.any(60, 70, 80, 90)}" + self.any("", " Ti"),
             lambda: self.letters(2) + "-" + str(self.int(10, 9900)) + self.any("", "", "X", "S"), lambda: f"EOS R{self.int(3, 90)}", lambda: f"WH-{self.int(100, 9999)}XM{self.int(2, 6)}",
             lambda: self.letters(self.int(1, 3)) + str(self.int(1, 990)) + self.any("", "", "i", "e", " Plus", " GT", "-" + self.letters(1)),
             lambda: self.letters(self.int(2, 3)) + " " + str(self.int(100, 9900)) + self.any("", "", "B", " Pro", "-2", "s"),
             lambda: self.r.choice(BRAND_A) + self.any(" X", " S", " Mini ", " Pro ", " ") + str(self.int(1, 500))]
        return self.code(self.r.choice(f)())

    def s_plug(self):
        return self.code(self.any(f"USB-C {self.any('3.0', '3.1', '3.2')}", f"USB {self.any('2.0', '3.0', '3.1', '3.2')}", f"HDMI {self.any('1.4', '2.0', '2.1')}", f"DisplayPort {self.any('1.2', '1.4', '2.0', '2.1')}",
                                  f"Bluetooth {self.any('4.2', '5.0', '5.1', '5.2', '5.3', '5.4')}", f"Wi-Fi {self.int(4, 7)}", f"Thunderbolt {self.int(3, 5)}", f"PCIe {self.int(3, 5)}.0"))

    def s_plane(self):
        return self.code(self.any(f"{self.any(737, 747, 757, 767, 777, 787)}-{self.int(1, 10)}00", f"{self.any(737, 777)} MAX {self.int(7, 10)}"))

    def s_usb(self):
        return self.code(self.any("3.0", "3.1", "3.2", "3.2 Gen 1", "3.2 Gen 2"))

    def s_lab(self):
        return self.code(self.any(lambda: f"{self.letters(2)}-{self.int(10, 999)}", lambda: f"{self.letters(1)}{self.int(10, 99)}", lambda: f"{self.letters(3)}{self.int(1, 99)}", lambda: f"{self.r.choice(GREEK)}-{self.int(1, 99)}")())

    def s_wlan(self):
        return self.code(self.any(lambda: f"FRITZ!Box {self.int(7300, 7699)}", lambda: f"WLAN-{self.digits(6)}", lambda: f"Guest_{self.digits(2)}", lambda: "Hotel_" + self.family().split()[-1],
                                  lambda: self.r.choice(BRAND_A) + "-Net-" + self.digits(3), lambda: "Café" + self.family().split()[-1] + "Free")())

    def s_swn(self):
        return self.code(self.any("Firefox", "LibreOffice", "Zoom", "VLC", "Signal", "GIMP", "Audacity", "Blender", "Inkscape", "Thunderbird", "KeePassXC", "Moodle", "Nextcloud", "WordPress", "OBS Studio",
                                  "PowerPoint", self.r.choice(BRAND_A) + self.any("Office", "Sync", "Chat", "View", "Cloud", "Desk")))

    def s_pathn(self):
        w = self.r.choice(self.FILE_W)
        return self.code(self.any(f"C:\\Daten\\{self.int(2015, 2027)}", f"D:\\{w}\\{w}{self.int(1, 40)}", f"/home/{ascii_name(self.first(True))}/{w.lower()}", f"/var/log/{w.lower()}", f"{w}_{self.int(2015, 2027)}",
                                  f"Z:\\{w}"))

    def s_hexc(self):
        return self.code("#" + "".join(self.r.choice("0123456789ABCDEF") for _ in range(6)))

    def s_klas(self):
        return self.code(str(self.int(1, 13)) + self.any("a", "b", "c", "d", "e"))

    def s_plzf(self):
        return self.code(str(self.int(10000, 99999)))

    def s_airb(self):
        return self.code(f"A{self.any(318, 319, 320, 321, 330, 350, 380)}" + self.any("", "neo", "-200", "-900"))

    def s_norm(self):
        return self.code(self.any(f"ISO {self.int(1000, 29999)}", f"ISO {self.any(9001, 14001, 27001, 45001)}", f"DIN {self.int(100, 99999)}", f"DIN EN {self.int(100, 62000)}",
                                  f"DIN EN ISO {self.int(1000, 19999)}", f"EN {self.int(50, 1999)}-{self.int(1, 5)}", f"IEC {self.int(60000, 62500)}", f"RFC {self.int(700, 9500)}"))

    def s_ver(self):
        a, b, c = self.int(0, 25), self.int(0, 20), self.int(0, 30)
        return self.code(self.any(f"{a}.{b}", f"{a}.{b}.{c}", f"v{a}.{b}.{c}", f"{a}.{b}.{c}-beta{self.int(1, 5)}", f"{a}.{b}-rc{self.int(1, 4)}", f"v{a}.{b}"))

    def s_sw(self):
        return self.code(self.any(f"Python 3.{self.int(6, 14)}", f"Windows {self.any(7, 8, 10, 11)}", f"Ubuntu {self.int(16, 26)}.04", f"Android {self.int(8, 17)}", f"iOS {self.int(12, 19)}.{self.int(0, 6)}",
                                  f"macOS {self.int(11, 15)}.{self.int(0, 6)}", f"LibreOffice {self.int(6, 25)}.{self.int(1, 8)}", f"Java {self.int(8, 25)}", f"PHP {self.int(5, 8)}.{self.int(0, 4)}",
                                  f"PostgreSQL {self.int(9, 18)}", f"Firefox {self.int(80, 150)}", f"Linux {self.int(4, 7)}.{self.int(0, 19)}", f"C++{self.any(11, 14, 17, 20, 23)}", f"Node.js {self.int(12, 25)}"))

    def s_code(self):
        ab = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        rnd = lambda n: "".join(self.r.choice(ab) for _ in range(n))
        return self.code(self.any(lambda: rnd(6), lambda: rnd(8), lambda: f"{self.letters(2)}-{self.digits(4)}", lambda: f"{rnd(4)}-{rnd(4)}-{rnd(4)}",
                                  lambda: f"{self.int(2019, 2027)}/{self.digits(4)}", lambda: f"{self.letters(1)}{self.digits(7)}", lambda: f"{self.letters(3)}/{self.digits(3)}-{self.digits(2)}",
                                  lambda: f"#{self.digits(5)}", lambda: self.digits(self.int(5, 9)))())

    def s_num(self):
        """A long number that is copied: customer, invoice, order."""
        return self.code(self.any(lambda: self.digits(self.int(5, 10)), lambda: f"{self.int(2019, 2027)}-{self.digits(5)}", lambda: self.letters(2) + self.digits(6),
                                  lambda: f"{self.digits(3)}.{self.digits(3)}-{self.digits(2)}", lambda: f"{self.digits(4)} {self.digits(4)}", lambda: f"{self.digits(3)}/{self.digits(5)}")())

    def s_az(self):
        """Court file number."""
        return self.code(f"{self.int(1, 40)} {self.any('O', 'C', 'Js', 'Ks', 'ZR', 'StR', 'UF', 'K', 'Ls')} {self.int(1, 999)}/{self.int(10, 27)}")

    def s_hex(self):
        h = lambda n: "".join(self.r.choice("0123456789abcdef") for _ in range(n))
        return self.code(self.any(lambda: "0x" + h(self.any(2, 4, 8)).upper(), lambda: "#" + h(6).upper(), lambda: h(7), lambda: h(12), lambda: f"0x{h(8)}",
                                  lambda: ":".join(h(2) for _ in range(6)), lambda: f"{h(8)}-{h(4)}-{h(4)}-{h(4)}-{h(12)}", lambda: h(4).upper() + "-" + h(4).upper())())

    def s_err(self):
        return self.code(self.any(lambda: str(self.any(400, 401, 403, 404, 408, 429, 500, 502, 503)), lambda: f"E-{self.digits(3)}", lambda: f"0x{self.digits(2)}{self.letters(1)}{self.digits(5)}",
                                  lambda: f"ERR_{self.any('TIMEOUT', 'NO_DATA', 'DISK_FULL', 'AUTH')}_{self.digits(2)}", lambda: f"{self.letters(1)}{self.digits(3)}")())

    FILE_W = """Bericht Protokoll Rechnung Vertrag Angebot Präsentation Foto Urlaub Anmeldung Haushalt Bild Scan Vortrag Kapitel Entwurf
        report invoice backup data notes final config index main test setup IMG DSC Lebenslauf Zeugnis Rezept Messwerte Mietvertrag""".split()

    def s_file(self):
        w = self.r.choice(self.FILE_W)
        d = self.day(2019, 2027)
        s = self.any(f"{w}_{d.year}", f"{w}-{d.isoformat()}", f"{w}_v{self.int(1, 12)}", f"{w}_{self.int(1000, 9999)}", f"{w}{self.int(1, 40)}",
                     f"{d.year}{d.month:02d}{d.day:02d}_{w}", f"{w}_{self.family().split()[-1]}", f"{w}_{self.any('final', 'neu', 'alt', 'final2', 'kopie')}", w.lower())
        return self.code(s + "." + self.any("pdf", "docx", "xlsx", "jpg", "png", "txt", "csv", "mp3", "mp4", "zip", "py", "json", "pptx", "html", "JPG", "tar.gz", "odt", "wav"))

    def host(self):
        w = self.any(lambda: ascii_name(self.family()), lambda: ascii_name(self.made_town()[0]), lambda: (self.r.choice(BRAND_A) + self.r.choice(BRAND_B)).lower(),
                     lambda: ascii_name(self.r.choice(TOWNS_DE)[0]), lambda: self.any("verein", "praxis", "hotel", "theater", "museum", "schule", "kanzlei") + "-" + ascii_name(self.family()))()
        if self.p(.06):
            w = self.any("müller", "bücher", "größe", "grün", "köln", "straße") + "-" + w
        return w + "." + self.any("de", "de", "de", "de", "com", "com", "at", "ch", "org", "net", "eu", "info", "io", "pl", "com.tr", "co.uk")

    def s_mail(self):
        k = self.r.random()
        dom = self.host() if self.p(.6) else self.any("gmx.de", "web.de", "example.com", "example.org", "t-online.de", "posteo.de", "mail.com", "bluewin.ch", "gmx.at")
        if k < .4:
            f, s = ascii_name(self.first(self.p(.5))), ascii_name(self.family())
            loc = self.any(f"{f}.{s}", f"{f[0]}.{s}", f"{f}_{s}", f"{s}.{f}", f + s, f"{f}.{s}{self.int(1, 99)}", f"{f}-{s}")
        elif k < .75:
            loc = self.any("info", "kontakt", "service", "presse", "bewerbung", "office", "anmeldung", "support", "team", "redaktion", "tickets", "buchhaltung", "personal", "vorstand", "hilfe", "no-reply")
            if self.p(.3):
                loc += self.any("-", ".", "+") + self.any(ascii_name(self.r.choice(TOWNS_DE)[0]), str(self.int(1, 99)), "de")
        else:
            loc = ascii_name(self.family()) + self.any("", str(self.int(1, 99)), str(self.int(1950, 2010)), "_" + self.digits(2))
        s = f"{loc}@{dom}"
        if self.p(.04):
            s = s[0].upper() + s[1:]
        return self.code(s)

    def s_url(self):
        path = self.any("", "", "", "/kontakt", "/anmeldung", "/tickets", f"/news/{self.int(100, 99999)}", f"/{self.int(2019, 2027)}/{self.int(1, 12):02d}", f"/shop?id={self.digits(4)}",
                        "/de/impressum", f"/p/{self.letters(1).lower()}{self.digits(3)}", "/faq#" + self.any("preise", "kontakt", "anfahrt"), "/" + ascii_name(self.made_town()[0]), f"/index.php?seite={self.int(1, 30)}&sprache=de",
                        "/~" + ascii_name(self.family()), f"/download/{self.any('app', 'plan', 'liste')}.{self.any('pdf', 'zip')}")
        pre = self.any("www.", "www.", "https://", "https://www.", "http://", "")
        return self.code(pre + self.host() + path)

    TAG_A = "Klima Bildung Zukunft Digital Kultur Sport Musik Theater Fußball Wahl Bahn Frauen Kinder Buch Film Grün Gesundheit Frieden Energie Tech Stadt Reise Foto Öko Medien".split()
    TAG_B = "Gipfel Woche Tag Konferenz Messe Liebe Wende Streik Abend Festival Preis Streit Forum Nacht Stammtisch Club Challenge".split()

    def s_htag(self):
        a, b = self.r.choice(self.TAG_A), self.r.choice(self.TAG_B)
        y = str(self.any(self.int(2019, 2029), self.int(19, 29)))
        s = self.any(a + b, a + b.lower(), a + b.lower() + y, (a + b).lower(), a + y, self.made_town()[0].replace(" ", ""), "Team" + self.family().split()[-1].replace("-", ""),
                     (self.r.choice(BRAND_A) + self.r.choice(BRAND_B)), self.r.choice(TOWNS_DE)[0].replace(" ", "").replace("(", "").replace(")", "").replace("-", "") + y, "IchBinDabei", "GoodNews", "throwback")
        return self.code("#" + s)

    def s_at(self):
        f, s = ascii_name(self.first(self.p(.5))), ascii_name(self.family()).replace("-", "")
        f = f.replace("-", "")
        return self.code("@" + self.any(f"{f}_{s}", f"{f}{self.int(1, 99)}", f"{s}_{self.any('official', 'music', 'news', 'art', 'tv')}", f"der_{s}", f"{f}.{s}", f"{f.capitalize()}{s.capitalize()}", f"{s}{self.int(1970, 2012)}",
                                        (self.r.choice(BRAND_A) + self.r.choice(BRAND_B)).lower(), f"{f}_{self.digits(2)}"))

    def s_tel(self):
        v = self.any("30", "40", "89", "221", "69", "711", "351", "341", "511", "421", "911", "761", str(self.int(201, 999)), str(self.int(2001, 9999)))
        m = self.any("151", "160", "170", "171", "172", "175", "176", "177", "178", "179")
        d = self.digits
        return self.code(self.any(lambda: f"0{v}/{d(6)}", lambda: f"0{v} {d(7)}", lambda: f"(0{v}) {d(3)} {d(2)} {d(2)}", lambda: f"+49 {v} {d(7)}", lambda: f"+49 {m} {d(3)} {d(4)}", lambda: f"0{m} {d(8)}",
                                  lambda: f"0{m}/{d(7)}", lambda: f"0{m}-{d(7)}", lambda: f"+43 1 {d(3)} {d(2)} {d(2)}", lambda: f"+41 {self.any(44, 31, 79, 76)} {d(3)} {d(2)} {d(2)}", lambda: f"0800 {d(3)} {d(4)}",
                                  lambda: f"0{v}-{d(4)}-{d(2)}", lambda: f"0{v} {d(4)}-{d(3)}", lambda: f"+44 20 {d(4)} {d(4)}", lambda: f"+49 (0){v} {d(6)}", lambda: self.any("110", "112", "116 117", "144", "115"),
                                  lambda: f"+90 5{d(2)} {d(3)} {d(2)} {d(2)}", lambda: f"+48 {d(3)} {d(3)} {d(3)}", lambda: f"+49{m}{d(8)}")())

    def s_iban(self):
        d = self.digits
        return self.code(self.any(f"DE{d(2)} {d(4)} {d(4)} {d(4)} {d(4)} {d(2)}", f"DE{d(20)}", f"AT{d(2)} {d(4)} {d(4)} {d(4)} {d(4)}", f"CH{d(2)} {d(4)} {d(4)} {d(4)} {d(4)} {d(1)}"))

    def s_ip(self):
        i = lambda: self.int(0, 255)
        return self.code(self.any(f"192.168.{i()}.{i()}", f"10.{i()}.{i()}.{i()}", f"{self.int(11, 223)}.{i()}.{i()}.{i()}", f"127.0.0.1:{self.int(1024, 65535)}", f"2001:db8::{self.int(1, 9)}a{self.int(1, 9)}"))

    def s_isbn(self):
        d = self.digits
        return self.code(f"978-3-{d(3)}-{d(5)}-{d(1)}")

    def s_pw(self):
        return self.code(self.any("Sonne", "Gast", "Winter", "Kaffee", "Welcome", "Hafen", "Blume") + self.any("!", "#", "-", "_", "$", "&") + self.digits(4) + self.any("", "!", "x", "?z"))

    def s_key(self):
        a = self.any(("Strg", "Ctrl"), ("Strg", "Ctrl"), ("Alt", "Alt"), ("Umschalt", "Shift"), ("Strg+Umschalt", "Ctrl+Shift"))
        b = self.any(*[(c, c) for c in "ACVXZSFPNOT"], ("F4", "F4"), ("F12", "F12"), ("Entf", "Del"), ("Tab", "Tab"))
        s = self.any("+", "+", " + ")
        return self.code(a[0].replace("+", s) + s + b[0], a[1].replace("+", s) + s + b[1])

    # --- sport, signs, words

    def s_score(self):
        a, b = self.int(0, 7), self.int(0, 5)
        if self.p(.15):
            a, b = self.int(60, 110), self.int(60, 110)
        return Val(f"{a}:{b}", f"{a}-{b}")

    def s_win(self):
        a = self.int(1, 7)
        b = self.int(0, a - 1)
        if self.p(.15):
            a = self.int(60, 110)
            b = a - self.int(1, 25)
        return Val(f"{a}:{b}", f"{a}-{b}")

    def s_draw(self):
        a = self.int(0, 5)
        return Val(f"{a}:{a}", f"{a}-{a}")

    def s_ratio(self):
        return Val(f"{self.int(1, 9)}:{self.int(1, 20)}")

    def s_lap(self):
        de = f"{self.int(1, 59)}:{self.int(0, 59):02d}"
        x = self.digits(2)
        return Val(de + "," + x, de + "." + x)

    def s_sec(self):
        return Val(*self.dec(9, 59, 2))

    def s_gr(self):
        g = self.r.choice(GREEK)
        return Val(g, cap=False, keep=True)

    def s_emo(self):
        return self.code(self.r.choice(EMOJI))

    def s_sign(self):
        # stand-ins for quotation marks that must not be changed later
        s = self.r.choice(SIGNS)
        return self.code(s.replace("»", "\ue001").replace("«", "\ue002"))

    def s_math(self):
        a, b = self.int(2, 30), self.int(2, 12)
        return self.code(self.any(f"{a} × {b} = {a * b}", f"{a} + {b} = {a + b}", f"{a * b} ÷ {b} = {a}", f"{a + b} − {b} = {a}", f"{a}² = {a * a}", f"{a * b}/{b} = {a}", f"{a} * {b} = {a * b}",
                                  f"√{a * a} = {a}", f"2^{b} = {2 ** b}"))

    def s_ineq(self):
        v = self.any("x", "n", "y", "p", "t", "k")
        s = self.any("≤", "≥", "<", ">", "≠", "=", "≈")
        if self.p(.3):
            d = self.dec(0.01, 9, 2)
            return self.code(f"{v} {s} {d[0]}", f"{v} {s} {d[1]}")
        return self.code(f"{v} {s} {self.int(0, 99)}")

    def s_let(self):
        return self.code(self.letters(1))

    def s_GRg(self):
        a, d, e = self.r.choice(GROUPS)
        return Val(d if a.endswith(("ierende", "äftigte", "willige", "ordnete")) else a, e)

    def s_rom(self):
        return self.code(self.any("II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI"))

    def s_vs(self):
        return Val(*self.any(("Na gut", "All right"), ("Bis morgen", "See you tomorrow"), ("Vielleicht", "Maybe"), ("Kein Problem", "No problem"), ("Ich weiß nicht", "I don't know"),
                             ("Viel Glück", "Good luck"), ("Endlich", "At last"), ("Das reicht", "That's enough"), ("Wir sehen uns", "See you around"), ("Ich auch nicht", "Neither do I"),
                             ("Zu spät", "Too late"), ("Nie wieder", "Never again"), ("Natürlich", "Of course"), ("Wie bitte?", "Pardon?"), ("Genau", "Exactly"), ("So ein Quatsch", "What nonsense")))

    def s_club(self):
        if self.p(.45):
            o = self.s_OD()
            a = self.any("Eintracht", "Fortuna", "Union", "Alemannia", "Viktoria", "Arminia", "Germania")
            return Val(a + " " + o.de, a + " " + o.en, safe=o.safe)
        return Val(*self.any(("Bayern München", "Bayern Munich"), ("Borussia Dortmund",) * 2, ("Werder Bremen",) * 2, ("Rapid Wien", "Rapid Vienna"), ("Austria Wien", "Austria Vienna"), ("Real Madrid",) * 2,
                             ("Galatasaray",) * 2, ("Fenerbahçe",) * 2, ("Legia Warschau", "Legia Warsaw"), ("Ajax Amsterdam",) * 2, ("Inter Mailand", "Inter Milan"), ("Sparta Prag", "Sparta Prague"),
                             ("Dynamo Kiew", "Dynamo Kyiv"), ("Sturm Graz",) * 2, ("Grasshopper Zürich", "Grasshopper Zurich"), ("Manchester City",) * 2, ("Arsenal",) * 2, ("Schalke 04",) * 2, ("Atlético Madrid",) * 2))

    def noun(self, table, case):
        g, de, en = self.r.choice(table)
        return Val(ARTICLE[case][g] + " " + de, "the " + en)

    def s_EV(self):
        return self.noun(EVENTS, "n")

    def s_EVa(self):
        return self.noun(EVENTS, "a")

    def s_EVd(self):
        return self.noun(EVENTS, "d")

    def s_OB(self):
        return self.noun(THINGS, "n")

    def s_OBa(self):
        return self.noun(THINGS, "a")

    def s_GR(self):
        a, d, e = self.r.choice(GROUPS)
        return Val(a, e)

    def s_GRd(self):
        a, d, e = self.r.choice(GROUPS)
        return Val(d, e)

    def s_Jm(self):
        m, f, e = self.r.choice(JOBS)
        return Val(m, e)

    def s_Jf(self):
        m, f, e = self.r.choice(JOBS)
        return Val(f, e)

    def s_top(self):
        return Val(*self.r.choice(AGENDA))

# --------------------------------------------------------------- frames ----

FRAMES = """
# people, stage, events
Mein Name ist {P}. => My name is {P}.
Ich heiße {P} und komme aus {O}. => My name is {P} and I come from {O}.
[Guten Tag|Guten Abend|Guten Morgen|Hallo], mein Name ist {P}. => [Good afternoon|Good evening|Good morning|Hello], my name is {P}.
[Hallo|Hi|Servus|Moin], ich bin {V}[1: aus {O}| und das ist {V2}|]. => [Hello|Hi|Hello|Hello], I'm {V}[1: from {O}| and this is {V2}|].
Ich bin {V} und arbeite seit {durd} bei {F}. => I'm {V} and I have been working at {F} for {durd}.
Das ist {Pf}, unsere neue [Kollegin|Nachbarin|Trainerin|Ärztin] aus {O}. => This is {Pf}, our new [colleague|neighbour|coach|doctor] from {O}.
Das ist {Pm}, unser neuer [Kollege|Nachbar|Trainer|Hausarzt] aus {O}. => This is {Pm}, our new [colleague|neighbour|coach|family doctor] from {O}.
Darf ich Ihnen {Ho} vorstellen? => May I introduce {Ho} to you?
Begrüßen Sie mit mir {T} aus {O}! => Please join me in welcoming {T} from {O}!
Einen [herzlichen|kräftigen|großen] Applaus für {P}! => A [warm|hearty|big] round of applause for {P}!
Ich übergebe nun das Wort an {Ho}. => I will now hand over to {Ho}.
{Hn}, Sie haben das Wort. => {Hn}, you have the floor.
Sehr geehrte {Hf}, sehr geehrter {Hm}, [meine Damen und Herren|liebe Gäste]! => Dear {Hf}, dear {Hm}, [ladies and gentlemen|dear guests]!
Kennen Sie {P} aus {O}? => Do you know {P} from {O}?
Wie schreibt man {N}? => How do you spell {N}?
Mein Nachname ist {N}, mein Vorname {V}. => My surname is {N}, my first name {V}.
Ich wurde {gb} in {O} geboren. => I was born {gb} in {O}.
Sie heißt {Pf}, er heißt {Pm}. => Her name is {Pf}, his name is {Pm}.
Wir begrüßen heute unseren Gast {P} {ausL}. => Today we welcome our guest {P} {ausL}.
Auf der Bühne stehen heute {P}, {P2} und {P3}. => On stage today are {P}, {P2} and {P3}.
[Am Klavier|An der Orgel|Am Schlagzeug|An der Harfe|Am Cello]: {P}. => [On the piano|On the organ|On drums|On the harp|On the cello]: {P}.
An der Gitarre hören Sie {P}, am Schlagzeug {P2}. => On guitar you will hear {P}, on drums {P2}.
Durch den [Abend|Nachmittag|Vormittag] führt {P}. => Your host for the [evening|afternoon|morning] is {P}.
Regie führte {P}, das Bühnenbild stammt von {P2}. => The director was {P}, the stage design is by {P2}.
Die Rolle [der Mutter|des Vaters|der Königin|des Königs|der Hexe] spielt {P}. => The role of [the mother|the father|the queen|the king|the witch] is played by {P}.
«{W}» von {P} hat {am} in {O} Premiere. => "{W}" by {P} premieres {am} in {O}.
Wir sehen jetzt einen Ausschnitt aus «{W}». => We will now see an excerpt from "{W}".
Haben Sie «{W}» von {P} gelesen? => Have you read "{W}" by {P}?
{P} singt das Lied «{W}». => {P} sings the song "{W}".
Das Konzert beginnt {um} und endet gegen {uhr}. => The concert begins {um} and ends at around {uhr}.
Die Pause dauert {durs}. => The interval lasts {durs}.
Nach der Pause geht es [in Saal {i}|im Foyer|im großen Saal] weiter. => After the break we will continue [in hall {i}|in the foyer|in the main hall].
Bitte schalten Sie Ihre Handys aus, wir beginnen in {i} Minuten. => Please switch off your phones, we start in {i} minutes.
Ihre Plätze sind in Reihe {i}, Platz {nd} und {nd2}. => Your seats are in row {i}, seats {nd} and {nd2}.
Karten gibt es ab {pr} an der [Abendkasse|Tageskasse|Theaterkasse]. => Tickets are available from {pr} at the [box office|ticket office|theatre box office].
Der Eintritt kostet {pr}, ermäßigt {pr2}. => Admission costs {pr}, reduced {pr2}.
Der Eintritt ist für Kinder unter {i} Jahren frei. => Admission is free for children under {i}.
{EV} findet {am} {um} [statt|in {O} statt|im Rathaus statt|in Raum {raum} statt]. => {EV} takes place {am} {um}[| in {O}| in the town hall| in room {raum}].
{EV} beginnt {um}, nicht {um2}. => {EV} begins {um}, not {um2}.
Mehr als {k} {GR} kamen {amr} nach {O}. => More than {k} {GR} came to {O} {amr}.
Rund {k} {GR} werden erwartet. => Around {k} {GR} are expected.
Zu Gast ist heute die {Jf} {Pf}. => Our guest today is the {Jf} {Pf}.
Der {Jm} {Pm} lebt seit {jn} in {O}. => The {Jm} {Pm} has lived in {O} since {jn}.
Den Preis für das beste Drehbuch erhält {P} für «{W}»! => The award for best screenplay goes to {P} for "{W}"!
Das Preisgeld beträgt {prb}. => The prize money is {prb}.
Wir danken {Ho} und {Ho2} für die Unterstützung. => We thank {Ho} and {Ho2} for their support.
Bitte folgen Sie {Ho} in Raum {raum}. => Please follow {Ho} to room {raum}.
Die nächste Führung startet {um} am Eingang {let}. => The next tour starts {um} at entrance {let}.
Die Ausstellung ist noch bis zum {tag} zu sehen. => The exhibition can be seen until {tag}.
Die Ausstellung läuft {tr} im Museum in {O}. => The exhibition runs {tr} at the museum in {O}.
Im Publikum sitzen heute {q} {GR} [{ausL}|aus {O}]. => There are {q} {GR} [{ausL}|from {O}] in the audience today.
Und nun, live aus {O}: {P}! => And now, live from {O}: {P}!
{P} und {P2} haben {amr} geheiratet. => {P} and {P2} got married {amr}.
Das Stück dauert {durs} und hat {i} Akte. => The play lasts {durs} and has {i} acts.
Wir spielen heute Abend Werke von {N}, {N2} und {N3}. => Tonight we are playing works by {N}, {N2} and {N3}.
Das Orchester unter {P} spielte «{W}» bereits {mal}. => The orchestra under {P} has already played "{W}" {mal}.
Die Jury unter Vorsitz von {T} wählte aus {q} Bewerbungen aus. => The jury, chaired by {T}, chose from {q} applications.
Zugabe! Zugabe! {V} kommt zum {ordk} Mal auf die Bühne. => Encore! Encore! {V} is coming on stage for the {ordk} time.
Liebe {Vf}, lieber {Vm}, alles Gute zum {ordn} Hochzeitstag! => Dear {Vf}, dear {Vm}, congratulations on your {ordn} wedding anniversary!
Herzlichen Glückwunsch zum {ordn} Geburtstag, {V}! => Happy {ordn} birthday, {V}!
Heute wird {V} {age} Jahre alt. => Today {V} turns {age}.
Schade, dass {V} und {V2} nicht dabei sein konnten. => It's a shame that {V} and {V2} couldn't be there.
Wäre {Pf} heute hier, würde sie sich freuen. => If {Pf} were here today, she would be pleased.
[Wer|Wo] ist {P}? => [Who|Where] is {P}?

# office and meetings
Die Sitzung mit {Ho} wurde auf {wd}, {uhr}, verschoben. => The meeting with {Ho} has been postponed to {wd}, {uhr}.
Können wir uns {am} {um} treffen? => Can we meet {am} {um}?
Passt Ihnen {wd} um {uhr} oder lieber {wd2} um {uhr2}? => Does {wd} at {uhr} suit you, or rather {wd2} at {uhr2}?
Tagesordnungspunkt {i}: {top} => Agenda item {i}: {top}
TOP {i}: {top} => Agenda item {i}: {top}
Wir kommen nun zu Punkt {i} der Tagesordnung: {top}. => We now come to item {i} on the agenda: {top}.
Ich habe {Ho} die Datei {file} geschickt. => I sent {Ho} the file {file}.
Bitte öffnen Sie die Datei {file} [auf Seite {nd}|und lesen Sie {kap}|und prüfen Sie Zeile {h}]. => Please open the file {file} [on page {nd}|and read {kap}|and check line {h}].
Im Anhang finden Sie {file} und {file2}. => Attached you will find {file} and {file2}.
Schicken Sie die Unterlagen bitte bis zum {tag} an {mail}. => Please send the documents to {mail} by {tag}.
Schreiben Sie eine E-Mail an {mail} oder rufen Sie {tel} an. => Write an email to {mail} or call {tel}.
Die Rechnung {num} über {prb} ist seit dem {tag} fällig. => Invoice {num} for {prb} has been due since {tag}.
Haben Sie meine E-Mail vom {tag} erhalten? => Did you receive my email of {tag}?
Ihre Ansprechpartnerin ist {Hf}, Durchwahl {h}. => Your contact person is {Hf}, extension {h}.
Ihr Ansprechpartner ist {Hm}, Telefon {tel}. => Your contact person is {Hm}, telephone {tel}.
Der Umsatz [stieg|sank] {imM} um {pct} auf {prm}. => Revenue [rose|fell] by {pct} to {prm} {imM}.
Wir haben {q} neue Kunden gewonnen, {pct} mehr als im Vorjahr. => We have gained {q} new customers, {pct} more than in the previous year.
Das Budget für {jf} beträgt {prm}. => The budget for {jf} is {prm}.
{F} beschäftigt {k} Menschen {inL}. => {F} employs {k} people {inL}.
Die {FG} sitzt in der {STRz} in {OD}. => {FG} is based in {STRz} in {OD}.
Die {FG} hat ihren Sitz in {O} und wurde {jahr} gegründet. => {FG} has its headquarters in {O} and was founded in {jahr}.
Seit {jn} leitet {P} die {FG}. => Since {jn}, {P} has headed {FG}.
{F} übernimmt die {FG} für {prm}. => {F} is taking over {FG} for {prm}.
Ich bin am {tag} nicht im Büro; bitte wenden Sie sich an {Ho}. => I am out of the office on {tag}; please contact {Ho}.
Wir brauchen noch {ns} Stühle und {ns2} Tische für Raum {raum}. => We still need {ns} chairs and {ns2} tables for room {raum}.
Der Drucker in Raum {raum} zeigt den Fehler {err} an. => The printer in room {raum} is showing error {err}.
Ihr Büro ist im {ordk} Stock, Zimmer {raum}. => Your office is on the {ordk} floor, room {raum}.
Das Protokoll führt heute {P}. => {P} is taking the minutes today.
Gibt es Fragen zu Folie {nd}? => Are there any questions about slide {nd}?
Auf Folie {nd} sehen Sie die Zahlen von {F}. => On slide {nd} you can see the figures for {F}.
Wer ist dafür? {nw} Stimmen dafür, {nw2} dagegen, {nw3} Enthaltungen. => Who is in favour? {nw} votes in favour, {nw2} against, {nw3} abstentions.
Der Antrag wurde mit {nd} zu {i} Stimmen angenommen. => The motion was adopted by {nd} votes to {i}.
Wir haben das Angebot von {F} am {tag} abgelehnt. => We rejected the offer from {F} on {tag}.
Der Vertrag läuft [noch bis zum|bis zum] {tag}. => The contract [still runs until|runs until] {tag}.
Mein Gehalt liegt bei {prb} im [Monat|Jahr]. => My salary is {prb} a [month|year].
Frau {N} hat am {tag} Urlaub, Herr {N2} ist krank. => Ms {N} is on holiday on {tag}, Mr {N2} is ill.
Leiten Sie das bitte an {mail} weiter. => Please forward this to {mail}.
{Pf} wird zum {tag} Abteilungsleiterin. => {Pf} will become head of department on {tag}.
Das Projekt «{W}» kostet {prm} und endet {imM}. => The project "{W}" costs {prm} and ends {imM}.
Bitte unterschreiben Sie auf {S}. => Please sign on {S}.
Wie viel Prozent sind das? Ungefähr {pct}. => What percentage is that? Approximately {pct}.
Von den {h} Befragten antworteten {nd} mit Ja. => Of the {h} people surveyed, {nd} answered yes.
Ihre Personalnummer lautet {num}. => Your staff number is {num}.
Die Besprechung in Raum {raum} dauert {zr}. => The meeting in room {raum} lasts {zr}.
Wir arbeiten seit {durd} mit {F} und {F2} zusammen. => We have been working with {F} and {F2} for {durd}.
Unsere Öffnungszeiten: {wd} {zr}. => Our opening hours: {wd} {zr}.
Das Büro ist {zr} besetzt. => The office is staffed {zr}.

# station, travel, airport
Auf Gleis {gleis} fährt ein: {zug} nach {O}[| über {O2}|, Abfahrt {uhr}]. => Now arriving on platform {gleis}: {zug} to {O}[| via {O2}|, departure {uhr}].
Der {zug} nach {O} fährt heute von Gleis {gleis}. => The {zug} to {O} departs from platform {gleis} today.
Der {zug} hat [etwa|ungefähr|mindestens] {nd} Minuten Verspätung. => The {zug} is [about|approximately|at least] {nd} minutes late.
Ihr Zug nach {O} fährt {um} von Gleis {gleis} ab. => Your train to {O} leaves {um} from platform {gleis}.
Nächster Halt: {O}[| Hauptbahnhof]. => Next stop: {O}[| main station].
Bitte beachten Sie: Der {zug} nach {O} fällt heute aus. => Please note: the {zug} to {O} has been cancelled today.
Wagen {i}, Platz {nd}, Fenster. => Coach {i}, seat {nd}, window.
Wo ist Gleis {gleis}, bitte? => Where is platform {gleis}, please?
Wann kommt der {zug} in {O} an? => When does the {zug} arrive in {O}?
Sie erreichen {O} {um}, Ihr Anschluss fährt von Gleis {gleis}. => You will arrive in {O} {um}, your connection leaves from platform {gleis}.
Ein Ticket von {O} nach {O2} kostet {pr}. => A ticket from {O} to {O2} costs {pr}.
Zweimal nach {O}, bitte, Hin- und Rückfahrt. => Two returns to {O}, please.
Flug {flug} nach {O} startet von Gate {gate}. => Flight {flug} to {O} departs from gate {gate}.
Letzter Aufruf für Flug {flug} nach {O}, Gate {gate}. => Last call for flight {flug} to {O}, gate {gate}.
Passagiere {P} und {P2}, gebucht auf {flug}, bitte zum Gate {gate}! => Passengers {P} and {P2}, booked on {flug}, please go to gate {gate}!
Unsere Flugzeit nach {O} beträgt {durs}. => Our flight time to {O} is {durs}.
Wir fliegen in {metm} Höhe mit {spdS}. => We are flying at an altitude of {metm} at {spdS}.
Die Boardingzeit ist {uhr}, Ihr Sitz ist {i}{let}. => Boarding time is {uhr}, your seat is {i}{let}.
{O} liegt {km} [nördlich|südlich|östlich|westlich] von {O2}. => {O} lies {km} [north|south|east|west] of {O2}.
Von {O} nach {O2} sind es {km}. => It is {km} from {O} to {O2}.
Mit dem Auto braucht man {durs} bis {O}. => By car it takes {durs} to get to {O}.
Auf der A{nd} zwischen {O} und {O2}: {km} Stau. => On the A{nd} between {O} and {O2}: {km} of congestion.
Nehmen Sie die Linie {i} bis {O} und steigen Sie dort in die S{nd} um. => Take line {i} to {O} and change there to the S{nd}.
Ich suche die {STRf} in {OD}. => I'm looking for {STRf} in {OD}.
Fahren Sie {met} geradeaus und dann rechts in die {STRz}. => Drive straight ahead for {met} and then right into {STRz}.
Unser Hotel liegt in {O}, {STR}. => Our hotel is in {O}, {STR}.
Ich habe ein Zimmer auf den Namen {N} reserviert. => I have reserved a room in the name of {N}.
Ihr Zimmer hat die Nummer {raum} und liegt im {ordk} Stock. => Your room is number {raum} and is on the {ordk} floor.
Frühstück gibt es {zr}. => Breakfast is served {zr}.
Das Doppelzimmer kostet {pr} pro Nacht. => The double room costs {pr} per night.
Check-out ist {um}. => Check-out is {um}.
Wir bleiben {ns} Nächte, {tr}. => We are staying {ns} nights, {tr}.
Die Fähre nach {O} legt {um} ab. => The ferry to {O} departs {um}.
Das Taxi nach {O} kostet ungefähr {pr}. => The taxi to {O} costs approximately {pr}.
Parken kostet hier {pr} pro Stunde. => Parking costs {pr} per hour here.
Der Wagen mit dem Kennzeichen {kfz} steht im Halteverbot. => The car with the registration number {kfz} is parked in a no-stopping zone.
Fahrer des Wagens {kfz}, bitte melden Sie sich an Kasse {i}! => Driver of car {kfz}, please come to checkout {i}!
Meine Buchungsnummer ist {code}. => My booking number is {code}.
Warst du schon mal in {O}? => Have you ever been to {O}?
Wir sind {amr} von {O} nach {O2} gezogen. => We moved from {O} to {O2} {amr}.
Ich bin {jn} {ausL} nach {O} gekommen. => I came to {O} {ausL} in {jn}.
Nächstes Jahr reisen wir {nachL}. => Next year we are travelling {nachL}.
Der Bus hält in {O}, {O2} und {O3}. => The bus stops in {O}, {O2} and {O3}.
Achtung an Gleis {gleis}, ein Zug fährt durch! => Attention on platform {gleis}, a train is passing through!
Die Strecke {O}–{O2} ist [{tr}|bis zum {tag}] gesperrt. => The {O}–{O2} line is closed [{tr}|until {tag}].
Am Steuer saß eine {age}-jährige Frau aus {O}. => At the wheel was {age.a}-year-old woman from {O}.
Das Höchsttempo beträgt {spd}. => The maximum speed is {spd}.
Der Airbus {airb} landete {um} in {O}. => The Airbus {airb} landed in {O} {um}.
[Der Tank|Die Flasche|Der Eimer] fasst {vol}. => The [tank|bottle|bucket] holds {vol}.
Wie weit ist es bis {O}? [Noch|Etwa|Ungefähr] {km}. => How far is it to {O}? [Another|About|Approximately] {km}.

# shop, restaurant, market
Das kostet {pr}. => It costs {pr}.
Das macht [zusammen|insgesamt|dann] {pr}. => That comes to {pr}[ altogether| in total|, then].
{OB} kostet {pr}[| pro Stück|, früher waren es {pr2}]. => {OB} costs {pr}[| each|, it used to be {pr2}].
Was kostet {OB}? [Nur|Genau|Etwa] {pr}. => How much is {OB}? [Only|Exactly|About] {pr}.
Ich habe {OBa} für {pr} bei {F} gekauft. => I bought {OBa} for {pr} at {F}.
{OB} ist von {pr} auf {pr2} reduziert. => {OB} has been reduced from {pr} to {pr2}.
Heute gibt es {pct} Rabatt auf alles. => Today there is {pct.a} discount on everything.
Haben Sie {OBa} auch in Größe {nd}? => Do you also have {OBa} in size {nd}?
Können Sie mir {prb} in bar geben? => Can you give me {prb} in cash?
Ich bekomme {pr} zurück. => I get {pr} back.
Sie sparen {pr}, das sind {pct}. => You save {pr}, that is {pct}.
Das Modell {mod} ist [leider ausverkauft|wieder lieferbar|ab sofort erhältlich]. => The model {mod} is [unfortunately sold out|available again|available now].
Gibt es das {mod} auch mit {data} Speicher? => Is the {mod} also available with {data} of storage?
Bitte geben Sie an der Kasse den Code {code} ein. => Please enter the code {code} at the checkout.
Ihre Bestellnummer lautet {num}. => Your order number is {num}.
Ihre Bestellung {num} wird {am} geliefert. => Your order {num} will be delivered {am}.
Das Paket wiegt {wt} und ist {mm} hoch. => The package weighs {wt} and is {mm} high.
Ich hätte gern {ns} Brötchen und {ns2} Brezeln. => I would like {ns} bread rolls and {ns2} pretzels.
Einmal die {nd}, bitte, ohne Zwiebeln. => One number {nd}, please, without onions.
Tisch {i} möchte zahlen: {pr}. => Table {i} would like to pay: {pr}.
Einen Tisch für {ns} Personen auf den Namen {N}, bitte. => A table for {ns} in the name of {N}, please.
Haben Sie {um} noch einen Tisch für {ns} Personen frei? => Do you still have a table for {ns} free {um}?
Für den Teig brauchen Sie {vol} Milch und {i} Eier. => For the dough you need {vol} of milk and {i} eggs.
Backen Sie den Kuchen bei {ofen} Grad, etwa {nd} Minuten. => Bake the cake at {ofen} degrees for about {nd} minutes.
Der Wein aus {O} kostet {pr} die Flasche. => The wine from {O} costs {pr} a bottle.
Der Kaffee {ausL} ist {pct} teurer geworden. => The coffee {ausL} has become {pct} more expensive.
Ein Kilo Äpfel kostet {pr}. => A kilo of apples costs {pr}.
Die Miete beträgt {prb} warm für {area}. => The rent is {prb} including heating for {area}.
Die Wohnung hat {ns} Zimmer und {area}. => The flat has {ns} rooms and {area}.
Das Haus in der {STRf} wurde für {prm} verkauft. => The house at {STRf} was sold for {prm}.
Unser Geschäft in {O} hat {zr} geöffnet. => Our shop in {O} is open {zr}.
Zahlen Sie bar oder mit Karte? Das wären {pr}. => Are you paying cash or by card? That would be {pr}.
Sonderangebot! Statt {pr} zahlen Sie heute nur {pr2}. => Special offer! Instead of {pr} you pay only {pr2} today.
Der Preis liegt {zw} Euro. => The price is {zw} euros.
Das Set kostet {prr}, je nach Größe. => The set costs {prr}, depending on size.
Wir verlangen {prr} pro Stunde. => We charge {prr} per hour.
Zzgl. {pct} MwSt. und {pr} Versand. => Plus {pct} VAT and {pr} shipping.
Alle Preise inkl. {pct} MwSt. => All prices incl. {pct} VAT.
Artikel {num}: nur noch {i} Stück auf Lager! => Item {num}: only {i} left in stock!
Ich möchte {OBa} umtauschen, hier ist der Kassenbon Nr. {num}. => I would like to exchange {OBa}, here is receipt no. {num}.
Würden Sie {OBa} auch für {pr} verkaufen? => Would you also sell {OBa} for {pr}?
Der Fahrpreis erhöht sich um {pr}. => The fare is going up by {pr}.

# court, law, police
Das Gericht verurteilte {Ho} zu {nw} Jahren Haft. => The court sentenced {Ho} to {nw} years in prison.
Nach {par} ist das [verboten|erlaubt|strafbar|unzulässig]. => Under {par} this is [prohibited|permitted|a criminal offence|inadmissible].
Das regelt {par}. => This is regulated by {par}.
Gemäß {par} haben Sie [das Recht zu schweigen|Anspruch auf Schadenersatz|Anspruch auf einen Anwalt]. => According to {par} you have [the right to remain silent|a right to compensation|a right to a lawyer].
Lesen Sie bitte {par} [vor|noch einmal]. => Please read {par} [aloud|once more].
Was steht in {par}? => What does {par} say?
Laut {art} sind alle Menschen vor dem Gesetz gleich. => According to {art}, all people are equal before the law.
Die Klage stützt sich auf {par} und {par2}. => The action is based on {par} and {par2}.
Vergleichen Sie {pars}. => Compare {pars}.
Siehe {art} und {kap}. => See {art} and {kap}.
Das Aktenzeichen lautet {az}. => The file number is {az}.
Das Urteil vom {tagr}, Aktenzeichen {az}, ist rechtskräftig. => The judgment of {tagr}, file number {az}, is final.
Zeugin {Pf} wurde {am} gehört. => Witness {Pf} was heard {am}.
Ich rufe die Zeugin {Pf} auf. => I call the witness {Pf}.
{Hn}, wo waren Sie {amr} {um}? => {Hn}, where were you {amr} {um}?
Euer Ehren, das Beweisstück {nd} zeigt {Ho} in {O}. => Your Honour, exhibit {nd} shows {Ho} in {O}.
Der Angeklagte {Pm} schweigt zu den Vorwürfen. => The defendant {Pm} is remaining silent on the charges.
Die Angeklagte {Pf} wurde freigesprochen. => The defendant {Pf} was acquitted.
Das Bußgeld beträgt {pr} und {ns} Punkte. => The fine is {pr} and {ns} points.
Sie fuhren mit {spdS} statt mit {spdS2}. => You were driving at {spdS} instead of {spdS2}.
Der Täter floh in einem Auto mit dem Kennzeichen {kfz}. => The offender fled in a car with the registration number {kfz}.
Hinweise bitte an die Polizei in {O} unter {tel}. => Please contact the police in {O} with any information on {tel}.
Gesucht wird {P}, zuletzt gesehen in {O}. => Wanted: {P}, last seen in {O}.
Der Schaden beläuft sich auf {prb}. => The damage amounts to {prb}.
Die Frist endet am {tag} {um}. => The deadline ends on {tag} {um}.
Der Kaufpreis in Höhe von {prb} ist bis zum {tag} zu zahlen. => The purchase price of {prb} must be paid by {tag}.
Die Parteien schließen nach {par} einen Vergleich. => The parties are reaching a settlement under {par}.
Einspruch! {par} gilt hier nicht. => Objection! {par} does not apply here.
Rechtsanwältin {Pf} vertritt die {FG}. => The lawyer {Pf} represents {FG}.
Mein Mandant {Pm} war {am} in {O}. => My client {Pm} was in {O} {am}.
Richterin {Pf} sprach das Urteil {um}. => Judge {Pf} pronounced the sentence {um}.
Der Prozess gegen {P} beginnt {am}. => The trial of {P} begins {am}.
Bei der Kontrolle wurden {prom} gemessen. => A level of {prom} was measured during the check.
Bitte tragen Sie Ihren Namen auf {S} ein, {Hn}. => Please enter your name on {S}, {Hn}.
Unterschrieben in {O}, {am}, {P}. => Signed in {O}, {am}, {P}.
Der Führerschein von {Ho} ist bis zum {tag} gültig. => The driving licence of {Ho} is valid until {tag}.
Sind Sie {P}, wohnhaft in der {STRf}? => Are you {P}, resident at {STRf}?
Die Beklagte muss {prb} nebst {pct} Zinsen zahlen. => The defendant must pay {prb} plus {pct} interest.
Wir haben {EVa} auf {wd}, {uhr}, verlegt. => We have moved {EVa} to {wd}, {uhr}.
Nach {EVd} fahren wir nach {O}. => After {EVd} we are going to {O}.
Wer hat {EVa} in {O} organisiert? => Who organised {EVa} in {O}?
Wir rechnen mit {k} {GRd} aus {O}. => We are expecting {k} {GRd} from {O}.
Von {h} {GRd} sind nur {nw} da. => Of {h} {GRd}, only {nw} are here.
Ich habe mit {Hmo} und {Hf} gesprochen. => I have spoken to {Hmo} and {Hf}.
Könnten Sie {Hmo} bitte ausrichten, dass {EV} ausfällt? => Could you please tell {Hmo} that {EV} has been cancelled?
Das [Gemälde|Grundstück|Schloss] kostet {prone}. => The [painting|plot of land|castle] costs {prone}.
Ich habe {prone} geerbt! => I have inherited {prone}!
Wer wird {prone} gewinnen? => Who will win {prone}?
Im {mon} fahren wir {nachL}. => In {mon} we are going {nachL}.
Von {mon} bis {mon2} ist {O} voll. => From {mon} to {mon2}, {O} is full.
"""
FRAMES += """
# news, politics, business
{RP} [sagte|erklärte|betonte] in {O}, man brauche {prm}. => {RP} [said|stated|stressed] in {O} that {prm} was needed.
{RP} tritt {am} zurück. => {RP} is resigning {am}.
{RP} reist {am} {nachL}. => {RP} is travelling {nachL} {am}.
{RP} traf {amr} in {O} auf {P}. => {RP} met {P} in {O} {amr}.
Die Regierung {inL} will {prm} in Schulen investieren. => The government {inL} wants to invest {prm} in schools.
In {O} demonstrierten {k} {GR} gegen den Bau. => In {O}, {k} {GR} demonstrated against the construction project.
Bei dem Erdbeben {inL} kamen mindestens {q} Menschen ums Leben. => At least {q} people lost their lives in the earthquake {inL}.
Die Partei kam auf {pct}, ein Plus von {pts}. => The party won {pct}, a gain of {pts}.
Die Wahlbeteiligung lag bei {pct}. => Voter turnout was {pct}.
Nach ersten Hochrechnungen liegt {P} mit {pct} vorn. => According to initial projections, {P} is ahead with {pct}.
{L} hat {ppl} Einwohner. => {L} has {ppl} inhabitants.
In {O} leben {ppl} Menschen. => {ppl} people live in {O}.
Die Inflation [stieg|sank|kletterte] {imM} auf {pct}. => Inflation [rose|fell|climbed] to {pct} {imM}.
Die Zahl der Arbeitslosen ging um {k} auf {mill} zurück. => The number of unemployed fell by {k} to {mill}.
Der DAX schloss bei {idx} Punkten, ein Minus von {pct}. => The DAX closed at {idx} points, down {pct}.
Die Aktie von {F} [verlor|gewann] {pct}. => Shares in {F} [lost|gained] {pct}.
Der Konzern {F} meldet einen Verlust von {prm}. => The {F} group reports a loss of {prm}.
Ein Euro kostet heute {usd} Dollar. => One euro costs {usd} dollars today.
Die Schulden stiegen auf {prm}, das sind {pct} der Wirtschaftsleistung. => Debt rose to {prm}, which is {pct} of economic output.
Das Gesetz tritt am {tag} in Kraft. => The law comes into force on {tag}.
Der Bundestag stimmte mit {h} zu {h2} Stimmen zu. => The Bundestag approved it by {h} votes to {h2}.
Der Gipfel {inL} beginnt {am}. => The summit {inL} begins {am}.
{Pf} wird neue Chefin von {F}. => {Pf} is to be the new head of {F}.
Laut {F} sind {k} {GR} betroffen. => According to {F}, {k} {GR} are affected.
Etwa {fr} der Befragten sind [dafür|dagegen|unentschieden]. => About {fr} of those surveyed are [in favour|against|undecided].
{fr} der Wähler stimmten mit Ja. => {fr} of voters voted yes.
Nur {frone} der {GRg} war zufrieden. => Only {frone} of the {GRg} were satisfied.
Jeder {ordz} {inL} hat kein Internet. => One in {ordz} people {inL} has no internet.
Die Temperatur der Meere ist um {degd} gestiegen. => The temperature of the oceans has risen by {degd}.
Zum Vergleich: {jn} waren es noch {k}. => By comparison, in {jn} it was still {k}.
In den Jahren {jn} und {jn2} sank die Zahl um {pct}. => In {jn} and {jn2}, the number fell by {pct}.
Nach {durd} Verhandlungen einigten sich {L} und {L2}. => After {durd} of negotiations, {L} and {L2} reached an agreement.
Am Sonntag wird {inL} gewählt. => Elections will be held {inL} on Sunday.
Der Strompreis liegt bei {ct} Cent pro Kilowattstunde. => The price of electricity is {ct} cents per kilowatt hour.
Die Anlage liefert {kwh} im Jahr. => The plant supplies {kwh} a year.
Der neue Windpark bei {O} leistet {pow}. => The new wind farm near {O} has an output of {pow}.
Bis {jf} sollen die Emissionen um {pct} sinken. => Emissions are to fall by {pct} by {jf}.
Der Rat stimmte {am} über {art} ab. => The council voted on {art} {am}.
Das Werk in {O} baut {q} Stellen ab. => The plant in {O} is cutting {q} jobs.
Wie {P} aus {O} berichtet, gibt es {q} Verletzte. => As {P} reports from {O}, there are {q} injured.
Unser Korrespondent {Pm} ist live in {O}. => Our correspondent {Pm} is live in {O}.
Unsere Reporterin {Pf} meldet sich {ausL}. => Our reporter {Pf} joins us {ausL}.
{L} exportierte {jn} Waren im Wert von {prm}. => {L} exported goods worth {prm} in {jn}.
Glauben Sie, dass {P} die Wahl {inL} gewinnt? => Do you think {P} will win the election {inL}?
Der Haushalt für {jf} sieht Ausgaben von {prm} vor. => The budget for {jf} provides for spending of {prm}.
{mal} so viele {GR} wie {jn}! => {mal} as many {GR} as in {jn}!
Das Defizit hat sich gegenüber {jn} um {prm} verringert. => Compared with {jn}, the deficit has decreased by {prm}.
Es wurden {ton} Müll gesammelt. => {ton} of rubbish were collected.
Die Ernte betrug {ton}. => The harvest amounted to {ton}.
Insgesamt brannten {land} Wald. => In total, {land} of forest burned.
Es fehlen {zw} Millionen Euro. => There is a shortfall of {zw} million euros.

# sport
{O} gewinnt gegen {O2} mit {win}. => {O} win {win} against {O2}.
{O} besiegt {O2} {win}. => {O} beat {O2} {win}.
Zur Halbzeit stand es {score}. => At half-time the score was {score}.
Das Spiel endete {draw}. => The match ended {draw}.
Das Spiel {O} gegen {O2} endet {score}. => The match between {O} and {O2} ends {score}.
Tor in der {omin} Minute durch {P}! => Goal in the {omin} minute by {P}!
{P} trifft in der {omin} Minute zum {score}. => {P} scores in the {omin} minute to make it {score}.
Gelb für {P}, Rot für {P2}. => Yellow for {P}, red for {P2}.
{P} gewinnt Gold über {rd} Meter in {sec} Sekunden. => {P} wins gold in the {rd} metres in {sec} seconds.
Silber geht an {P} ({L}). => Silver goes to {P} ({L}).
Mit {lap} Minuten stellt {P} einen neuen Rekord auf. => With a time of {lap} minutes, {P} sets a new record.
Die Nummer {nd}, {P}, wird ausgewechselt. => Number {nd}, {P}, is being substituted.
{P} läuft für {L}. => {P} is running for {L}.
{P} springt {jump} weit. => {P} jumps {jump}.
In der Saison {saison} holte das Team {nd} Punkte. => In the {saison} season, the team earned {nd} points.
Trainer {Pm} bleibt bis {jf}. => Coach {Pm} is staying until {jf}.
Vor {k} Zuschauern siegte {O} [verdient|knapp] mit {win}. => In front of {k} spectators, {O} won [deservedly|narrowly], {win}.
Wer gewinnt heute, {O} oder {O2}? => Who will win today, {O} or {O2}?
Der Kader: {P}, {P2}, {P3} und {V}. => The squad: {P}, {P2}, {P3} and {V}.
{P} liegt nach {i} Runden auf dem {ordk} Platz. => After {i} laps, {P} is in {ordk} place.
Die {orde} Etappe führt von {O} nach {O2}, {km}. => The {orde} stage goes from {O} to {O2}, {km}.
{P} wechselt für {prm} zu {club}. => {P} is moving to {club} for {prm}.
Im Finale stehen {P} und {P2}. => {P} and {P2} are in the final.
Wir führen {win}, noch {ns} Minuten. => We are leading {win}, {ns} minutes to go.
Du hast das Spiel mit {nd} Punkten gewonnen, {V}! => You won the game with {nd} points, {V}!
Der Marathon in {O} ist {km} lang. => The marathon in {O} is {km} long.
Nach dem {draw} gegen {O} ist {V} enttäuscht. => After the {draw} draw against {O}, {V} is disappointed.

# weather, science, medicine
Morgen erreichen die Temperaturen in {O} {tempp}. => Tomorrow temperatures in {O} will reach {tempp}.
In {O} sind es heute {temp}. => It is {temp} in {O} today.
Bei {temp} gefriert [die Probe|das Gemisch|die Lösung]. => At {temp} [the sample|the mixture|the solution] freezes.
Der Wind weht mit {spdS} aus [Norden|Osten|Westen]. => The wind is blowing from the [north|east|west] at {spdS}.
In {O} fielen {mmm} Regen. => {mmm} of rain fell in {O}.
Die Luftfeuchtigkeit liegt bei {pct}. => Humidity is {pct}.
Der Luftdruck beträgt {hpa}. => The air pressure is {hpa}.
Der Gipfel ist {met} hoch. => The summit is {met} high.
Der Fluss ist {km} lang und bis zu {met} breit. => The river is {km} long and up to {met} wide.
Der Winkel {gr} beträgt {degn}. => The angle {gr} is {degn}.
Der Wert von {gr} ist {dec}. => The value of {gr} is {dec}.
Wir messen {gr} = {dec} und {gr2} = {dec2}. => We measure {gr} = {dec} and {gr2} = {dec2}.
Die Spannung beträgt {volt}, der Strom {strom}. => The voltage is {volt}, the current {strom}.
Der Widerstand beträgt {ohm}. => The resistance is {ohm}.
Der Sensor {mod} misst {zw} mm. => The sensor {mod} measures {zw} mm.
Die Genauigkeit liegt bei ± {tol} mm. => The accuracy is ± {tol} mm.
Gemessen wurden {conc}, erlaubt sind {conc2}. => {conc} was measured, {conc2} is permitted.
Die Feinstaubwerte in {O} lagen bei {conc}. => Fine dust levels in {O} were {conc}.
Die Frequenz liegt bei {hz}. => The frequency is {hz}.
Der Stern ist {ly} Lichtjahre entfernt. => The star is {ly} light years away.
Nehmen Sie {mg} {mald} am Tag ein. => Take {mg} {mald} a day.
Die Dosis wurde von {mg} auf {mg2} erhöht. => The dose was increased from {mg} to {mg2}.
Patientin {Pf}, geboren {gb}, Zimmer {raum}. => Patient {Pf}, born {gb}, room {raum}.
Der Blutdruck liegt bei {bp}. => Blood pressure is {bp}.
{Hn} hat {fever} Fieber. => {Hn} has a temperature of {fever}.
Das Baby wog {gram} Gramm und war {nd} Zentimeter groß. => The baby weighed {gram} grams and was {nd} centimetres long.
Ihr Termin bei {T} ist {am} {um}. => Your appointment with {T} is {am} {um}.
{T} operiert heute in Saal {i}. => {T} is operating in theatre {i} today.
An der Studie nahmen {q} {GR} {ausL} teil. => {q} {GR} {ausL} took part in the study.
Die Forscherin {Pf} entdeckte {jn} den Stoff {lab}. => The researcher {Pf} discovered the substance {lab} in {jn}.
Der Versuch wurde {mal} wiederholt, mit {dec} als Mittelwert. => The experiment was repeated {mal}, with a mean of {dec}.
Für alle {ineq} gilt die Formel. => The formula applies to all {ineq}.
Es gilt: {math}. => The following applies: {math}.
Wie viel ist {nd} mal {i}? => How much is {nd} times {i}?
Das Verhältnis beträgt {ratio}. => The ratio is {ratio}.
Die Probe {code} enthält {pct} Wasser. => Sample {code} contains {pct} water.
Gestern war es {ns} Grad kälter als heute. => Yesterday it was {ns} degrees colder than today.
Der Akku hält {durs} und lädt mit {watt}. => The battery lasts {durs} and charges at {watt}.
Die Erde ist rund {milj} Jahre alt. => The earth is around {milj} years old.
Das Erdbeben hatte die Stärke {rich}. => The earthquake had a magnitude of {rich}.

# computers
Öffnen Sie die Seite {url} [im Browser|und melden Sie sich an|auf Ihrem Handy]. => Open the page {url} [in your browser|and log in|on your phone].
Mehr Informationen finden Sie unter {url}. => You can find more information at {url}.
Besuchen Sie uns [auf|unter] {url}! => Visit us [at|at] {url}!
Den Link {url} habe ich in den Chat gestellt. => I have posted the link {url} in the chat.
Das Passwort lautet {pw}. => The password is {pw}.
Das WLAN heißt {wlan}, das Passwort ist {pw}. => The Wi-Fi is called {wlan}, the password is {pw}.
Installieren Sie bitte Version {ver} von {swn}. => Please install version {ver} of {swn}.
Das Update auf {ver} behebt den Fehler {err}. => The update to {ver} fixes error {err}.
Ab Version {ver} läuft das Programm auch unter {sw}. => From version {ver}, the program also runs on {sw}.
Wir nutzen {sw} und {sw2}. => We use {sw} and {sw2}.
Läuft das auch mit {sw}? => Does it also work with {sw}?
Die Datei {file} ist {data} groß. => The file {file} is {data} in size.
Löschen Sie nicht die Datei {file}! => Do not delete the file {file}!
Ich finde {file} nicht mehr. => I can't find {file} any more.
Speichere {file} bitte im Ordner {pathn}. => Please save {file} in the folder {pathn}.
Drücken Sie {key}, um [zu speichern|das Fenster zu schließen|den Text zu kopieren]. => Press {key} to [save|close the window|copy the text].
Mit {key} machst du das rückgängig. => You can undo that with {key}.
Der Server {ip} antwortet nicht. => The server {ip} is not responding.
Meine IP-Adresse ist {ip}. => My IP address is {ip}.
Der Commit {sha} ist fehlerhaft. => Commit {sha} is faulty.
Der Prüfwert ist {hex}. => The checksum is {hex}.
Die Farbe hat den Code {hexc}. => The colour has the code {hexc}.
Die Leitung schafft {net}. => The line can handle {net}.
Die Festplatte hat {data}, davon sind {pct} belegt. => The hard drive has {data}, of which {pct} is in use.
Fehler {err} in Zeile {h}: {file} nicht gefunden. => Error {err} in line {h}: {file} not found.
Klicken Sie auf Datei → Speichern unter → {file}. => Click on File → Save as → {file}.
Gehen Sie zu Einstellungen → Konto → Passwort. => Go to Settings → Account → Password.
Folgen Sie uns unter {at} und {htag}. => Follow us at {at} and {htag}.
Postet eure Fotos mit {htag}! => Post your photos with {htag}!
Der Hashtag {htag} wurde {k} Mal verwendet. => The hashtag {htag} was used {k} times.
{at} hat dich in einem Beitrag markiert. => {at} tagged you in a post.
Danke an {at} für den Tipp! => Thanks to {at} for the tip!
Mein Konto heißt {at}, schreib mir einfach. => My account is called {at}, just write to me.
Das Gerät {mod} entspricht der Norm {norm}. => The device {mod} complies with the standard {norm}.
Wir sind nach {norm} zertifiziert. => We are certified to {norm}.
Das Gerät {mod} hat einen Anschluss vom Typ USB-C {usb}. => The device {mod} has a USB-C {usb} port.
Das neue Modell {mod} kommt {imM} auf den Markt. => The new model {mod} is coming onto the market {imM}.
Ich habe mein Handy, Modell {mod}, in der U{i} verloren. => I lost my phone, model {mod}, on the U{i}.
Der Prozessor taktet mit {hz}. => The processor runs at {hz}.
Haben Sie {ver} schon getestet, {Hn}? => Have you tested {ver} yet, {Hn}?
Der Download von {file} dauert {durs}. => Downloading {file} takes {durs}.
Lade dir {swn} {ver} unter {url} herunter. => Download {swn} {ver} at {url}.
Das Kennwort darf die Zeichen {sign} und {sign2} enthalten. => The password may contain the characters {sign} and {sign2}.
Das Zeichen {sign} ist hier nicht erlaubt. => The character {sign} is not allowed here.
Was bedeutet {sign} in diesem Text? => What does {sign} mean in this text?
Windows® und Android™ sind eingetragene Marken. => Windows® and Android™ are registered trademarks.

# history, culture, education
{P} wurde {amp} in {O} geboren. => {P} was born in {O} {amp}.
{P} starb {amp} im Alter von {age} Jahren. => {P} died {amp} at the age of {age}.
{Pf} (geb. {jahr} in {O}) gilt als Pionierin. => {Pf} (born {jahr} in {O}) is regarded as a pioneer.
Das Schloss wurde {jahr} erbaut. => The castle was built in {jahr}.
Das Schloss stammt aus dem {ojh} Jahrhundert. => The castle dates from the {ojh} century.
Die Stadt {O} wurde {jh} gegründet. => The town of {O} was founded {jh}.
Die Stadt {O} wurde {bc} zerstört. => The town of {O} was destroyed {bc}.
Der Krieg dauerte {vb}. => The war lasted {vb}.
Er regierte {jj} {inL}. => He ruled {inL} {jj}.
{dek} war das noch anders. => {dek} things were still different.
Meine Eltern kamen {dek} {nachL}. => My parents came {nachL} {dek}.
Die Mauer fiel am 9. November 1989. => The Wall fell on 9 November 1989.
Am 3. Oktober 1990 wurde Deutschland wiedervereint. => On 3 October 1990 Germany was reunified.
Der Vertrag wurde am {tagp} in {O} unterzeichnet. => The treaty was signed on {tagp} in {O}.
{P} malte das Bild «{W}» {jahr}. => {P} painted the picture "{W}" in {jahr}.
Lesen wir {bib}. => Let us read {bib}.
Die Predigt behandelt {bib}. => The sermon is about {bib}.
Das Zitat steht auf {S}. => The quotation is on {S}.
Schlagt bitte das Buch auf {page} auf. => Please open your books at {page}.
Hausaufgabe: {page}, Aufgabe {i} bis zum {tag}. => Homework: {page}, exercise {i} by {tag}.
Wir beginnen mit {kap} und lesen bis {page}. => We begin with {kap} and read up to {page}.
{V} hat {nd} von 100 Punkten. => {V} has {nd} out of 100 points.
In der Klasse {klas} sind {nd} Kinder aus {ns} Ländern. => There are {nd} children from {ns} countries in class {klas}.
{T} lehrt an der Universität {OD}. => {T} teaches at the University of {OD}.
Die Vorlesung von {T} ist {wdz} im Hörsaal {raum}. => The lecture by {T} is {wdz} in lecture hall {raum}.
Das Buch «{W}» erschien {jahr} in {O}. => The book "{W}" was published in {jahr} in {O}.
Das Buch hat die ISBN {isbn}. => The book has the ISBN {isbn}.
{P} übersetzte «{W}» ins Deutsche. => {P} translated "{W}" into German.
Der Film «{W}» dauert {nd} Minuten. => The film "{W}" lasts {nd} minutes.
Wie hieß noch gleich die Frau in «{W}»? {Pf}! => What was the name of the woman in "{W}" again? {Pf}!
Wann wurde {O} gegründet? [Vermutlich|Wahrscheinlich] {jh}. => When was {O} founded? [Presumably|Probably] {jh}.
König {Vm} {rom}. regierte von {O} aus. => King {Vm} {rom} ruled from {O}.
Die {orde} Auflage erscheint {imM}. => The {orde} edition will be published {imM}.
Die Prüfung umfasst {nd} Fragen, Sie haben {durs} Zeit. => The exam comprises {nd} questions, you have {durs}.
Wer kann mir {math} erklären? => Who can explain {math} to me?

# phone, address, contact
Meine Telefonnummer ist {tel}. => My phone number is {tel}.
Rufen Sie mich unter {tel} an. => Call me on {tel}.
Sie erreichen uns [täglich|werktags|rund um die Uhr] unter {tel}. => You can reach us [daily|on weekdays|around the clock] on {tel}.
Im Notfall wählen Sie [bitte|sofort] {tel}. => In an emergency, [please|immediately] dial {tel}.
{Hn} hat angerufen und bittet um Rückruf: {tel}. => {Hn} called and asks you to call back: {tel}.
Meine Adresse ist {ADR}. => My address is {ADR}.
Schicken Sie den Brief an {P}, {ADR}. => Send the letter to {P}, {ADR}.
Wir sind umgezogen! Neue Adresse: {ADR}. => We have moved! New address: {ADR}.
Ich wohne in {OD}, {STR}. => I live in {OD}, {STR}.
Wohnst du noch in der {STRf}? => Do you still live at {STRf}?
Liefern Sie bitte an {Hf}, {STR}, {PLZ}. => Please deliver to {Hf}, {STR}, {PLZ}.
Meine E-Mail-Adresse lautet {mail}. => My email address is {mail}.
Bewerbungen bitte an {mail}, z. Hd. {Hf}. => Applications to {mail}, for the attention of {Hf}, please.
Fragen? {mail} oder {tel}! => Questions? {mail} or {tel}!
Überweisen Sie {prb} auf das Konto {iban}. => Transfer {prb} to the account {iban}.
IBAN: {iban}, Verwendungszweck: {num}. => IBAN: {iban}, reference: {num}.
Kontoinhaber ist {P}, {iban}. => The account holder is {P}, {iban}.
Kundennummer {num}, Name {P}. => Customer number {num}, name {P}.
Ihre Kundennummer finden Sie auf {S}. => You will find your customer number on {S}.
Unter welcher Nummer erreiche ich {Ho}? => On which number can I reach {Ho}?
Schreib mir an {mail}, nicht an {mail2}. => Write to me at {mail}, not at {mail2}.
Die Postleitzahl von {OD} ist {plzf}. => The postcode of {OD} is {plzf}.
{Fam} in der {STRf} ist nicht zu Hause. => {Fam} at {STRf} is not at home.
{Fam} wohnt in der {STRf}. => {Fam} lives at {STRf}.
Anmeldung bis zum {tag} bei {P} ({mail}). => Registration by {tag} with {P} ({mail}).
Tel. {tel}, Fax {tel2} => Tel. {tel}, fax {tel2}
Der Eingang ist in der {STRf}, Klingel {N}. => The entrance is at {STRf}, bell marked {N}.

# everyday and chat
Wir treffen uns {amt} bei {V}. => We are meeting {amt} at {V.s}.
{EV} ist {amt} in {O}. => {EV} is {amt} in {O}.
Hast du {amt} schon etwas vor, {V}? => Do you have any plans {amt}, {V}?
{V.g} Handy klingelt schon wieder. => {V.s} phone is ringing again.
Das ist {V.g} Idee, nicht meine. => That's {V.s} idea, not mine.
Kennst du {V.g} Bruder {Vm}? => Do you know {V.s} brother {Vm}?
{V.g} Zug nach {O} fährt {um}. => {V.s} train to {O} leaves {um}.
Die Tasche von {V} liegt in Raum {raum}. => {V.s} bag is in room {raum}.
Die Rede von {Ho} dauerte {durs}. => {Ho.s} speech lasted {durs}.
{P.g} Film «{W}» läuft {am}. => {P.s} film "{W}" is showing {am}.
Hallo {V}, wie geht's? [{emo}|😊|👋] => Hello {V}, how are you? [{emo}|😊|👋]
Danke, {V}! {emo} => Thanks, {V}! {emo}
{emo} {V} kommt heute {um}. => {emo} {V} is coming today {um}.
Treffen wir uns {um} am Bahnhof? => Shall we meet {um} at the station?
Bis {wd} {um}! {emo} => See you {wd} {um}! {emo}
Kommst du mit {V} oder mit {V2}? => Are you coming with {V} or with {V2}?
{V}, kannst du {V2} bitte {tel} geben? => {V}, can you give {V2} {tel}, please?
Hast du {Vf} gesehen? {V} sucht nach ihr. => Have you seen {Vf}? {V} is looking for her.
Meine Schwester heißt {Vf} und ist {age} Jahre alt. => My sister is called {Vf} and is {age} years old.
Mein Bruder {Vm} wohnt {inL}. => My brother {Vm} lives {inL}.
Unser Hund heißt {V}, unsere Katze {V2}. => Our dog is called {V}, our cat {V2}.
{V} und {V2} sind seit {durd} zusammen. => {V} and {V2} have been together for {durd}.
Ich komme {um}, {V} kommt {um2}. => I'm coming {um}, {V} is coming {um2}.
Wir haben uns {jn} in {O} kennengelernt. => We met in {O} in {jn}.
Steh auf, es ist schon {uhr}! => Get up, it's already {uhr}!
Wie spät ist es? Es ist {clk}. => What time is it? It's {clk}.
Es ist {clk}, wir müssen los. => It's {clk}, we have to go.
Ich schulde {V} noch {pr}. => I still owe {V} {pr}.
Leihst du mir {pr} bis {wd}? => Will you lend me {pr} until {wd}?
Ich bin {age} und wiege {kilo}. => I'm {age} and I weigh {kilo}.
{V} ist {hgt} groß. => {V} is {hgt} tall.
Sag {V} bitte, dass wir {um} essen. => Please tell {V} that we're eating {um}.
Oma {Vf} feiert {am} ihren {omin} Geburtstag. => Grandma {Vf} is celebrating her {omin} birthday {am}.
Wir sind heute {ns} Stunden gewandert, {km}! {emo} => We hiked for {ns} hours today, {km}! {emo}
Der Wecker klingelt {um}. => The alarm goes off {um}.
Ohne {V} hätten wir {nw} Tage gebraucht. => Without {V} we would have needed {nw} days.
Wenn {V} nicht kommt, sind wir nur {nw}. => If {V} doesn't come, there will only be {nw} of us.
{V} fragte: «Wann fährt der Bus nach {O}?» => {V} asked: "When does the bus to {O} leave?"
{P} sagte: «Ich komme [morgen|später|bald] nach {O}.» => {P} said: "I'll come to {O} [tomorrow|later|soon]."
«Bitte warten», sagte {Hn}. => "Please wait," said {Hn}.
«{O} ist schön», meinte {V}. => "{O} is beautiful," said {V}.
Er sagte nur «{vs}» und ging. => He just said "{vs}" and left.
{V} schreibt: «Bin {um} da {emo}» => {V} writes: "Will be there {um} {emo}"
[Frohe Weihnachten|Alles Gute|Gute Nacht|Gute Besserung], {V}! {emo} => [Merry Christmas|All the best|Good night|Get well soon], {V}! {emo}
Ich hole {V} {um} in {O} ab. => I'll pick {V} up {um} in {O}.
Vergiss nicht: {am.c} hat {V} Geburtstag! 🎂 => Don't forget: {V} has a birthday {am}! 🎂
Das sind {i} Kilometer, also {durs} zu Fuß. => That's {i} kilometres, so {durs} on foot.
Schau mal, {url}! {emo} => Look, {url}! {emo}
{emo} {O} war toll, {ns} Tage Sonne! {emo2} => {emo} {O} was great, {ns} days of sunshine! {emo2}
Schatz, der {zug} hat schon wieder {nd} Minuten Verspätung {emo} => Darling, the {zug} is {nd} minutes late yet again {emo}
"""
FRAMES += """
# longer sentences
Als {P} {amp} in {O} ankam, hatte die Firma {F} bereits {k} Beschäftigte und einen Umsatz von {prm}. => When {P} arrived in {O} {amp}, the company {F} already had {k} employees and revenue of {prm}.
Nach Angaben der Polizei in {OD} wurden {amr} {um} in der {STRz} {ns} Autos beschädigt, der Schaden beträgt rund {prb}. => According to the police in {OD}, {ns} cars were damaged in {STRz} {amr} {um}, the damage is around {prb}.
Wenn Sie bis zum {tag} bestellen, erhalten Sie {pct} Rabatt und die Lieferung nach {OD} ist kostenlos. => If you order by {tag}, you will receive {pct} off and delivery to {OD} is free.
Meine Damen und Herren, der {zug} von {O} nach {O2} hat heute leider etwa {nd} Minuten Verspätung, wir bitten um Entschuldigung. => Ladies and gentlemen, the {zug} from {O} to {O2} is unfortunately about {nd} minutes late today, we apologise.
{RP} sagte {am} in {O}, dass die Kosten von {prm} auf {prm2} gestiegen seien. => {RP} said {am} in {O} that the costs had risen from {prm} to {prm2}.
Wer sich für den Kurs anmelden möchte, schreibt bitte bis {wd}, {uhr}, eine E-Mail an {mail}. => Anyone who would like to register for the course, please write an email to {mail} by {wd}, {uhr}.
Bitte überweisen Sie den Betrag von {prb} unter Angabe der Rechnungsnummer {num} bis spätestens {tag} auf unser Konto {iban}. => Please transfer the amount of {prb}, quoting invoice number {num}, by {tag} at the latest to our account {iban}.
Obwohl {Pf} erst {ns} Jahre in {O} lebt, spricht sie schon {ns2} Sprachen. => Although {Pf} has only lived in {O} for {ns} years, she already speaks {ns2} languages.
Die Wohnung in der {STRf} hat {ns} Zimmer, ist {area} groß und kostet {prb} im Monat. => The flat at {STRf} has {ns} rooms, is {area} in size and costs {prb} a month.
Das Gerät {mod} wiegt {wt}, verbraucht {watt} und kostet bei {F} ab dem {tag} nur noch {pr}. => The device {mod} weighs {wt}, uses {watt} and will cost only {pr} at {F} from {tag}.
Ich habe {am} {um} einen Termin bei {T} in der {STRf}, kannst du mich hinbringen? => I have an appointment {am} {um} with {T} at {STRf}, can you take me there?
Wie {at} gerade schreibt, beginnt die Demo in {O} nicht um {uhr}, sondern erst um {uhr2}. => As {at} just wrote, the demo in {O} does not begin at {uhr} but only at {uhr2}.
Der Angeklagte {Pm} soll {amr} in {O} eine Uhr im Wert von {prb} gestohlen haben. => The defendant {Pm} is alleged to have stolen a watch worth {prb} in {O} {amr}.
Zwischen {O} und {O2} ist die Autobahn A{nd} {tr} nur einspurig befahrbar, rechnen Sie mit bis zu {nd2} Minuten Wartezeit. => Between {O} and {O2}, the A{nd} motorway is down to one lane {tr}, expect waiting times of up to {nd2} minutes.
Laut Wetterdienst fielen in {O} innerhalb von {dursd} {mmm} Regen, das ist {mal} so viel wie üblich. => According to the weather service, {mmm} of rain fell in {O} within {dursd}, which is {mal} as much as usual.
Haben Sie verstanden, dass Sie nach {par} nicht aussagen müssen, {Hn}? => Have you understood that under {par} you do not have to testify, {Hn}?
Können Sie {Ho} bitte sagen, dass das Paket {num} aus {O} in Raum {raum} liegt? => Can you please tell {Ho} that the package {num} from {O} is in room {raum}?
In der Gruppe spielen {L}, {L2}, {L3} und {L4}, das erste Spiel ist {am} {um}. => {L}, {L2}, {L3} and {L4} are in the group, the first match is {am} {um}.
Von den {k} Einwohnern in {OD} sind {pct} über {nd} Jahre alt. => Of the {k} inhabitants of {OD}, {pct} are over {nd} years old.
Wir bedanken uns bei {F}, {F2} und der {FG} für Spenden in Höhe von {prb}. => We thank {F}, {F2} and {FG} for donations of {prb}.
Das Manuskript, das {P} {jn} in {O} fand, stammt aus dem {ojh} Jahrhundert. => The manuscript that {P} found in {O} in {jn} dates from the {ojh} century.
{V}, der Code für die Tür ist {pin}, das WLAN heißt {wlan}, und bei Problemen ruf {tel} an! => {V}, the code for the door is {pin}, the Wi-Fi is called {wlan}, and if there are any problems, call {tel}!
Hätten wir {jn} nur {prb} investiert, wären es heute {prm}. => If only we had invested {prb} in {jn}, it would be {prm} today.
Angenommen, {ineq}: Wie groß ist dann {gr}? => Suppose {ineq}: how large is {gr} then?
Die Bibliothek in der {STRz} hat {wd} und {wd2} {zr} geöffnet. => The library in {STRz} is open on {wd} and {wd2} {zr}.
Dass {O} {win} gegen {O2} gewinnt, hätte {V} nie gedacht. => {V} would never have thought that {O} would win {win} against {O2}.
Der Film «{W}» mit {P} und {P2} läuft {am} {um} in Saal {i}. => The film "{W}" with {P} and {P2} is showing {am} {um} in hall {i}.
Für {ns} Personen brauchen Sie {h} Gramm Reis, {vol} Brühe und {ns2} Tomaten. => For {ns} people you need {h} grams of rice, {vol} of stock and {ns2} tomatoes.
Notieren Sie bitte: {P}, geboren {gb}, wohnhaft {ADR}, Telefon {tel}. => Please make a note: {P}, born {gb}, resident at {ADR}, telephone {tel}.
Ab dem {tag} kostet die Fahrt von {O} nach {O2} {pr} statt bisher {pr2}. => From {tag}, the journey from {O} to {O2} will cost {pr} instead of {pr2}.
Sollte der {zug} ausfallen, nehmen Sie den Bus um {uhr} ab {O}. => Should the {zug} be cancelled, take the bus at {uhr} from {O}.
Seit {F} {jn} nach {OD} zog, ist die Miete von {prb} auf {prb2} gestiegen. => Since {F} moved to {OD} in {jn}, rent has risen from {prb} to {prb2}.
Wir fliegen {am} mit {flug} nach {O}, Abflug {uhr}, Gate {gate}. => We are flying to {O} {am} on {flug}, departure {uhr}, gate {gate}.

# signs, lists, sums
→ {top}: {uhr} => → {top}: {uhr}
• {top} => • {top}
• {top} ({P}) => • {top} ({P})
– {top}: {dur} => – {top}: {dur}
* {top} => * {top}
- {top}, {uhr} => - {top}, {uhr}
{i}. {top} => {i}. {top}
{i}.{dig} {top} => {i}.{dig} {top}
{lowl}) {top} => {lowl}) {top}
({i}) {top} => ({i}) {top}
1. {top} 2. {top2} 3. {top3} => 1. {top} 2. {top2} 3. {top3}
[✓|✅|☑] {top} => [✓|✅|☑] {top}
{O} → {O2} → {O3} => {O} → {O2} → {O3}
{O} ↔ {O2}: {km} => {O} ↔ {O2}: {km}
← Zurück zu {S} => ← Back to {S}
{top} … {nd} => {top} … {nd}
Fortsetzung auf {S} … => Continued on {S} …
* Pflichtfeld => * Required field
© {jn} {FG}. Alle Rechte vorbehalten. => © {jn} {FG}. All rights reserved.
© {P}, {jn} => © {P}, {jn}
{V} & {V2} laden zur Hochzeit ein! 🎉 => {V} & {V2} invite you to their wedding! 🎉
{V} + {V2} = ❤️ => {V} + {V2} = ❤️
Das ist Frage #{nd}. => That is question #{nd}.
Achtung – {zug} fährt heute ab Gleis {gleis}! => Attention – {zug} leaves from platform {gleis} today!
{P} – {O} – {tag} => {P} – {O} – {tag}
{P} / {P2} => {P} / {P2}
Herr/Frau: {N} => Mr/Ms: {N}
Ja/Nein: {top} => Yes/No: {top}
Die Toleranz ist ±{tol} %. => The tolerance is ±{tol}%.
Die Fläche ist {nd} m × {nd2} m. => The area is {nd} m × {nd2} m.
Das Paket misst {nd} × {nd2} × {nd3} cm. => The package measures {nd} × {nd2} × {nd3} cm.
Rechnen Sie: {math}. => Calculate: {math}.
Stimmt es, dass {math}? => Is it true that {math}?
Wenn {ineq} ist, brechen wir ab. => If {ineq}, we stop.
Der Parameter {gr} liegt bei {dec} ± {tol}. => The parameter {gr} is {dec} ± {tol}.
Die {gr}-Strahlung wurde {jahr} entdeckt. => {gr} radiation was discovered in {jahr}.
Die Dichte {gr} beträgt {dec} g/cm³. => The density {gr} is {dec} g/cm³.
Ein Kondensator mit {cap} genügt. => A capacitor with {cap} is sufficient.
Der Motor hat {ps}. => The engine has {ps}.
Temperatur: {temp}, Wind: {spdS} => Temperature: {temp}, wind: {spdS}
Gewicht: {wt} | Preis: {pr} => Weight: {wt} | Price: {pr}
Name: {P} | Ort: {O} | Datum: {tag} => Name: {P} | Place: {O} | Date: {tag}
Preis: {pr} (statt {pr2}) => Price: {pr} (instead of {pr2})
Wir sagen «{vs}» … und gehen. => We say "{vs}" … and leave.
{V}: «{vs}!» – {V2}: «{vs2}!» => {V}: "{vs}!" – {V2}: "{vs2}!"
Das Wort «{V}» steht auf {S}. => The word "{V}" is on {S}.
«{vs}!», rief {V} aus {O}. => "{vs}!" shouted {V} from {O}.
{V} flüsterte: «{vs} …» => {V} whispered: "{vs} …"
«{W}» {emo} heute {um} im Kino => "{W}" {emo} today {um} at the cinema
{emo} {top} {emo2} => {emo} {top} {emo2}
{emo} {am}, {uhr}, {O} => {emo} {am}, {uhr}, {O}
📍 {ADR} => 📍 {ADR}
📞 {tel} ✉️ {mail} => 📞 {tel} ✉️ {mail}
📅 {tag} ⏰ {uhr} 📍 {O} => 📅 {tag} ⏰ {uhr} 📍 {O}
👍 von {V}, {V2} und {i} weiteren Personen => 👍 from {V}, {V2} and {i} others
Drücken Sie die Taste {sign}. => Press the {sign} key.
[♪|🎵|🎶] {P} singt «{W}» => [♪|🎵|🎶] {P} sings "{W}"
♪ {P}: «{W}» ♪ => ♪ {P}: "{W}" ♪
⟦[Lachen|Applaus|Musik]⟧ {V}: {vs} => ⟦[Laughter|Applause|Music]⟧ {V}: {vs}

# abbreviations
Verkaufen Sie etwas, z. B. {OBa}! => Sell something, e.g. {OBa}!
Wir suchen Kräfte, z. B. in {O} oder {O2}. => We are looking for staff, e.g. in {O} or {O2}.
Große Städte, z. B. {O}, {O2} und {O3}, wachsen. => Large cities, e.g. {O}, {O2} and {O3}, are growing.
Das kostet ca. {pr}. => It costs approx. {pr}.
Die Fahrt nach {O} dauert ca. {durs}. => The journey to {O} takes approx. {durs}.
Es kamen ca. {k} {GR}. => Approx. {k} {GR} came.
Wir treffen {P}, {P2} usw. => We are meeting {P}, {P2}, etc.
{O}, {O2}, {O3} usw. => {O}, {O2}, {O3}, etc.
{EV} ist am {tag}, d. h. in {ns} Tagen. => {EV} is on {tag}, i.e. in {ns} days.
Um {pct}, d. h. {pr}, sinkt der Preis. => The price is falling by {pct}, i.e. {pr}.
Fragen Sie {Ho} bzw. {Ho2}. => Ask {Ho} or {Ho2}.
Die Sitzung ist am {tag} bzw. am {tag2}. => The meeting is on {tag} or on {tag2}.
Ihr Schreiben Nr. {num} vom {tag} liegt uns vor. => We have received your letter no. {num} of {tag}.
Zimmer Nr. {raum} wird ggf. am {tag} frei. => Room no. {raum} may become free on {tag}.
Bringen Sie ggf. {pr} in bar mit. => If necessary, bring {pr} in cash.
{V} kommt evtl. {um}. => {V} may come {um}.
Evtl. muss {EV} verschoben werden. => {EV} may have to be postponed.
Mit dabei waren u. a. {P} und {P2}. => Among those present were {P} and {P2}.
{P} arbeitete u. a. bei {F} und {F2}. => {P} worked at {F} and {F2}, among others.
Vgl. {S} und {kap}. => Cf. {S} and {kap}.
Siehe Abb. {i} und Tab. {i2}. => See Fig. {i} and Table {i2}.
s. {S} => see {S}
Alle Teilnehmer, inkl. {Ho}, sind informiert. => All participants, incl. {Ho}, have been informed.
Das Angebot gilt inkl. MwSt. bis zum {tag}. => The offer is valid incl. VAT until {tag}.
Max. {nd} Personen, min. {i}. => Max. {nd} people, min. {i}.
{T} ist i. d. R. {um} da. => {T} is usually there {um}.
Lt. {P} kostet das {prb}. => According to {P}, it costs {prb}.
Der sog. {N}-Plan kostete {prm}. => The so-called {N} plan cost {prm}.
Gesucht werden v. a. {GR} aus {O}. => Above all, {GR} from {O} are wanted.
Eintritt frei, Spenden o. Ä. erbeten. => Admission free, donations or similar are welcome.
Rückfragen unter Tel. {tel} bzw. {mail}. => For questions, call {tel} or write to {mail}.
Der Bau kostet voraussichtl. {prm}. => Construction is expected to cost {prm}.
Ich rufe bzgl. der Rechnung {num} an. => I'm calling about invoice {num}.
Die Std. kostet {pr}, d. h. {pr2} pro Tag. => The hour costs {pr}, i.e. {pr2} per day.
Hr. {N} und Fr. {N2} sind in Raum {raum}. => Mr {N} and Ms {N2} are in room {raum}.
Bitte u. A. w. g. bis zum {tag}! => Please RSVP by {tag}!
MfG, {P} => Kind regards, {P}
Mit freundlichen Grüßen, {P} => Kind regards, {P}
[Liebe Grüße|Viele Grüße|Beste Grüße] aus {O}, {V} => [Love|Best wishes|Best regards] from {O}, {V}
{FG}, z. Hd. {Ho}, {ADR} => {FG}, for the attention of {Ho}, {ADR}
i. A. {P}, {FG} => p.p. {P}, {FG}
{O} Hbf ab {uhr}, {O2} an {uhr2} => {O} main station dep. {uhr}, {O2} arr. {uhr2}
{P} jun. übernahm {jn} die Firma. => {P} Jr took over the company in {jn}.

# figures of all kinds
Das war {yw} in {O}. => That was in {yw} in {O}.
{yw} zog {P} nach {O}. => In {yw}, {P} moved to {O}.
Im Jahr {yw} gründete {P} die Firma {F}. => In {yw}, {P} founded the company {F}.
Wir schreiben das Jahr {yw}. => The year is {yw}.
Ich bin Jahrgang {jn}, meine Frau {Vf} ist {jn2} geboren. => I was born in {jn}, my wife {Vf} was born in {jn2}.
Es sind {decw} Prozent. => It is {decw} percent.
Der Wert liegt bei {decw}. => The value is {decw}.
Wir brauchen {decw} Millionen Euro. => We need {decw} million euros.
Die Strecke ist {decw} Kilometer lang. => The route is {decw} kilometres long.
Das ist {mal} so viel wie {jn}. => That is {mal} as much as in {jn}.
Wir haben {mal} geklingelt. => We rang {mal}.
Das Ergebnis ist {dec}. => The result is {dec}.
Von {dec} auf {dec2} in {ns} Tagen. => From {dec} to {dec2} in {ns} days.
Die Zahl {dec} ist gerundet. => The number {dec} is rounded.
Minus {nd} Prozent, das ist zu wenig. => Minus {nd} percent, that is too little.
Der Saldo beträgt {neg}. => The balance is {neg}.
Der Kurs fiel auf {negp}. => The rate fell to {negp}.
Ich habe das schon {h}-mal gesagt! => I've said that {h} times already!
Auf {h} Plätze kommen {k} Bewerbungen. => There are {k} applications for {h} places.
Rechnen wir mit {rng} Gästen. => Let's expect {rng} guests.
Die Kinder sind {rngs} Jahre alt. => The children are {rngs} years old.
Das dauert {rng} Minuten. => That takes {rng} minutes.
Zwischen {O} und {O2} liegen {rng} Kilometer. => There are {rng} kilometres between {O} and {O2}.
Wir brauchen {zw} Freiwillige. => We need {zw} volunteers.
Du bist der {orde} in der Reihe, {Vm}. => You are the {orde} in line, {Vm}.
Das ist mein {ordr} Versuch. => This is my {ordr} attempt.
Wir feiern das {orde} Jubiläum von {F}. => We are celebrating the {orde} anniversary of {F}.
Zum {ordn} Mal findet {EV} in {O} statt. => For the {ordn} time, {EV} is taking place in {O}.
Am {ordk} Tag kamen {q} {GR}. => On the {ordk} day, {q} {GR} came.
Der {orde} Platz geht an {P}. => {orde} place goes to {P}.
Biegen Sie an der {ordk} Kreuzung links ab. => Turn left at the {ordk} junction.
Das {orde} Kapitel beginnt auf {page}. => The {orde} chapter begins on {page}.
Teilen Sie das durch {nd}, das ergibt {dec}. => Divide that by {nd}, which gives {dec}.
{divi}. => {divi}.
Addieren Sie {k} und {k2}. => Add {k} and {k2}.
Die Summe ist {k}, nicht {k2}. => The total is {k}, not {k2}.
Es sind genau {k}, also {fr} von allen. => There are exactly {k}, so {fr} of the total.
Zähl bis {nw}, dann los! => Count to {nw}, then go!
Von Frage {i} bis Frage {nd} gibt es je {ns} Punkte. => From question {i} to question {nd}, there are {ns} points each.
Die Auflage beträgt {k} Exemplare. => The print run is {k} copies.
Der Film spielte {prm} ein. => The film took {prm} at the box office.
Ein Liter Diesel kostet {spr}. => A litre of diesel costs {spr}.
Wir haben noch {dur}. => We still have {dur}.
Warte bitte {durs}, {V}! => Please wait for {durs}, {V}!
Seit {durd} wohne ich in {O}. => I have been living in {O} for {durd}.
Vor {dursd} ist {Hn} gegangen. => {Hn} left {dursd} ago.
In {durd} feiert {O} ein Fest. => In {durd}, {O} will celebrate a festival.
Nach {dursd} war alles vorbei. => After {dursd} it was all over.
Es dauerte {durl}, bis {P} antwortete. => It took {durl} for {P} to reply.
Das war {jh}, nicht {jh2}. => That was {jh}, not {jh2}.
Sie hatte {nw} Katzen und {nw2} Hunde. => She had {nw} cats and {nw2} dogs.
Haben wir wirklich {k} Euro ausgegeben? => Did we really spend {k} euros?
{nw} von {h} Lampen sind kaputt. => {nw} of {h} lamps are broken.
Nimm {nw} Eier, {h} Gramm Mehl und {vol} Milch. => Take {nw} eggs, {h} grams of flour and {vol} of milk.
Der Lkw hat {ton} geladen. => The lorry is carrying {ton}.
Platz {i}: {P}, {lap} Minuten. => Place {i}: {P}, {lap} minutes.
Los {nd} geht für {prb} an die Dame in Reihe {i}. => Lot {nd} goes for {prb} to the lady in row {i}.
Wer bietet mehr als {prb}? Zum Ersten, zum Zweiten ... => Who bids more than {prb}? Going once, going twice ...
Ich biete {prb}! => I bid {prb}!
Die Lottozahlen: {nd}, {nd2}, {nd3} und {nd4}. => The lottery numbers: {nd}, {nd2}, {nd3} and {nd4}.
Der Code ist {code}, nicht {code2}. => The code is {code}, not {code2}.
Die Seriennummer {code} gehört zum Gerät {mod}. => The serial number {code} belongs to device {mod}.
Ihre PIN ist {pin}. => Your PIN is {pin}.
Das Schließfach {nd} öffnet man mit {pin}. => Locker {nd} opens with {pin}.
Lieferschein {num} vom {tag}: {q} Stück {mod}. => Delivery note {num} of {tag}: {q} units of {mod}.
Die Maschine ist eine Boeing {plane} von {F}. => The aircraft is a Boeing {plane} operated by {F}.
Das Kabel unterstützt {plug}. => The cable supports {plug}.
Gibt es einen Anschluss für {plug}? => Is there a port for {plug}?
Das Formular {code} erhalten Sie in Zimmer {raum}. => You can get form {code} in room {raum}.
Bitte Raum {raum} und Raum {raum2} lüften. => Please air room {raum} and room {raum2}.
Die Nummer {nd} bitte in Zimmer {raum}! => Number {nd} to room {raum}, please!
{V} sitzt in Reihe {i} auf Platz {nd}. => {V} is sitting in row {i}, seat {nd}.
Ich sehe auf {S} einen Fehler: Statt {k} muss es {k2} heißen. => I see a mistake on {S}: instead of {k} it should say {k2}.
Um wie viel Uhr? [{uhr}|Gegen {uhr}|Erst {uhr}]. => At what time? [{uhr}|At around {uhr}|Not until {uhr}].
"""

BARE = """
{P} => {P}
{T} => {T}
{Hn} => {Hn}
{RP} => {RP}
{P}, {P2} => {P}, {P2}
{P} ({O}) => {P} ({O})
{P}, {age} => {P}, {age}
{V} und {V2} => {V} and {V2}
{Fam} => {Fam}
{N}, {V} => {N}, {V}
{O} => {O}
{O}, {L} => {O}, {L}
{ADR} => {ADR}
{STR} => {STR}
{PLZ} => {PLZ}
{P}, {ADR} => {P}, {ADR}
{FG} => {FG}
{FG}, {O} => {FG}, {O}
{F} => {F}
«{W}» => "{W}"
«{W}», {jahr} => "{W}", {jahr}
{tag} => {tag}
{tagp} => {tagp}
{am} => {am}
{tr} => {tr}
{wd}, {tag} => {wd}, {tag}
{O}, {tag} => {O}, {tag}
{am} {um} => {am} {um}
{imM} => {imM}
{uhr} => {uhr}
{um} => {um}
{zr} => {zr}
{wd}, {uhr} => {wd}, {uhr}
{clk} => {clk}
{jh} => {jh}
{dek} => {dek}
{pr} => {pr}
{prb} => {prb}
{prm} => {prm}
{prr} => {prr}
{pct} => {pct}
{dec} => {dec}
{k} => {k}
{nw} => {nw}
{temp} => {temp}
{len} => {len}
{wt} => {wt}
{area} => {area}
{spd} => {spd}
{kwh} => {kwh}
{dur} => {dur}
{mg} => {mg}
{conc} => {conc}
{k} {GR} => {k} {GR}
{fr} => {fr}
{mal} => {mal}
{par} => {par}
{art} => {art}
{kap}, {S} => {kap}, {S}
{mail} => {mail}
{url} => {url}
{htag} => {htag}
{htag} {htag2} {htag3} => {htag} {htag2} {htag3}
{at} => {at}
{file} => {file}
{hex} => {hex}
{code} => {code}
{tel} => {tel}
{iban} => {iban}
{kfz} => {kfz}
{mod} => {mod}
{norm} => {norm}
{sw} => {sw}
{ip} => {ip}
{az} => {az}
{math} => {math}
{ineq} => {ineq}
{zug} → {O} => {zug} → {O}
{O} {score} {O2} => {O} {score} {O2}
Tel.: {tel} => Tel.: {tel}
Telefon: {tel} => Telephone: {tel}
E-Mail: {mail} => Email: {mail}
Web: {url} => Web: {url}
Raum {raum} => Room {raum}
Gleis {gleis} => Platform {gleis}
Gate {gate} => Gate {gate}
Zimmer {raum}, {T} => Room {raum}, {T}
Reihe {i}, Platz {nd} => Row {i}, seat {nd}
Nr. {nd} => No. {nd}
Seite {nd} von {h} => Page {nd} of {h}
Folie {nd} => Slide {nd}
Datum: {tag} => Date: {tag}
Ort: {O} => Place: {O}
Name: {P} => Name: {P}
Geburtsdatum: {tagr} => Date of birth: {tagr}
Uhrzeit: {uhr} => Time: {uhr}
Ab {pr} => From {pr}
Bis {pct} Rabatt => Up to {pct} off
Ab {uhr} => From {uhr}
Eintritt: {pr} => Admission: {pr}
{emo} {P} => {emo} {P}
{emo}{emo2} => {emo}{emo2}
{bib} => {bib}
Version {ver} => Version {ver}
"""

# Short lines before or after a frame.
LEAD = """Vielen Dank.=Thank you very much.;Meine Damen und Herren!=Ladies and gentlemen!;Achtung!=Attention!;Guten Abend.=Good evening.;Gut.=Good.;
Ja, genau.=Yes, exactly.;Nein.=No.;Willkommen!=Welcome!;Entschuldigung.=Excuse me.;Noch etwas.=One more thing.;Moment, bitte.=One moment, please.;
Wie gesagt.=As I said.;Ganz wichtig!=Very important!;Ach ja!=Oh yes!;Zum Schluss noch ein Hinweis.=One final note.;Hören Sie bitte zu.=Please listen.;
Also gut.=All right then.;Keine Sorge.=Don't worry.;Liebe Gäste!=Dear guests!;Das stimmt.=That's right.;Ich wiederhole.=I repeat.;Na endlich!=At last!;
Eine Durchsage.=An announcement.;Guten Morgen zusammen!=Good morning, everyone!;Hören Sie mich?=Can you hear me?;Wissen Sie was?=You know what?;Kurz gesagt.=In short.;
Eine gute Nachricht!=Good news!;Leider nein.=Unfortunately not."""
TAIL = """Vielen Dank!=Thank you very much!;Danke.=Thank you.;Alles klar?=All clear?;Noch Fragen?=Any questions?;Bitte beachten Sie das.=Please take note of this.;Das war's.=That's it.;
Verstanden?=Understood?;Bis später!=See you later!;Ist das richtig?=Is that correct?;So einfach ist das.=It's that simple.;Was meinen Sie?=What do you think?;
Mehr weiß ich nicht.=That's all I know.;Stimmt's?=Right?;Alles andere später.=Everything else later.;Bitte weitersagen!=Please pass it on!;Schade.=What a pity.;Toll!=Great!"""

# --------------------------------------------------------------- output ----

TOKEN = re.compile(r"\{([A-Za-z]+)(\d?)(?:\.(\w))?\}|\[(?:(\d):)?([^\[\]]*)\]")


def parse(text):
    """Split a side of a frame into text, slots and choices."""
    out, at = [], 0
    for m in TOKEN.finditer(text):
        if m.start() > at:
            out.append(text[at:m.start()])
        if m.group(1):
            out.append(("slot", m.group(1) + m.group(2), m.group(1), m.group(3)))
        else:
            out.append(("alt", m.group(4) or "", [parse(x) for x in m.group(5).split("|")]))
        at = m.end()
    if at < len(text):
        out.append(text[at:])
    return out


def slots_of(tokens):
    found = []
    for t in tokens:
        if t[0] == "slot":
            found.append((t[1], t[2]))
        elif t[0] == "alt":
            for o in t[2]:
                found += slots_of(o)
    return found


def choices_of(tokens):
    return {t[1]: len(t[2]) for t in tokens if t[0] == "alt"}


def load(text):
    frames = []
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("# "):
            continue
        de, mark, en = line.partition(" => ")
        a, b = parse(de), parse(en)
        if not mark or {s for s, _ in slots_of(a)} != {s for s, _ in slots_of(b)} or choices_of(a) != choices_of(b):
            raise ValueError("bad frame: " + line)
        frames.append((a, b))
    return frames


QUOTES = [("„", "“")] * 6 + [("»", "«")] * 3 + [("«", "»")] + [('"', '"')] * 3 + [("“", "”")] + [("„", '"')]
TIGHT = [("z. B.", "z.B."), ("d. h.", "d.h."), ("u. a.", "u.a."), ("v. a.", "v.a."), ("i. d. R.", "i.d.R."), ("o. Ä.", "o.Ä."), ("z. Hd.", "z.Hd."), ("i. A.", "i.A."),
         ("v. Chr.", "v.Chr.")]


def possessive(s):
    return s + "'s"


def genitive(s):
    return s + ("'" if s[-1] in "sßxz" or s.endswith("ce") else "s")


def with_article(s):
    return ("an " if re.match(r"8|1[18](?!\d)|eight|eleven", s) else "a ") + s


def upper_first(s):
    return s[:1].upper() + s[1:]


class Writer:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.slots = Slots(self.r)
        self.frames, self.bare = load(FRAMES), load(BARE)
        self.lead = [tuple(x.strip().split("=")) for x in LEAD.replace("\n", "").split(";")]
        self.tail = [tuple(x.strip().split("=")) for x in TAIL.replace("\n", "").split(";")]

    def pieces(self, tokens, vals, picks, side):
        """[(text, value or None), ...] for one side."""
        out = []
        for t in tokens:
            if isinstance(t, str):
                out.append((t, None))
            elif t[0] == "alt":
                out += self.pieces(t[2][picks[t[1]]], vals, picks, side)
            else:
                v = vals[t[1]]
                s = v.de if side == 0 else v.en
                if t[3] == "s":
                    s = possessive(s)
                elif t[3] == "g":
                    s = genitive(s)
                elif t[3] == "c":
                    s = upper_first(s)
                elif t[3] == "a":
                    s = with_article(s)
                out.append((s, v))
        return [p for p in out if p[0]]

    def capital(self, pieces):
        """Capital at the start and after "?" and "!"."""
        out, before = [], ""
        for text, v in pieces:
            if v is not None and v.cap and (before == "" or before.endswith(("? ", "! "))):
                text = upper_first(text)
            out.append((text, v))
            before = text
        return out

    def frame(self, pool, capital=True):
        """One filled frame: German pieces, English pieces."""
        a, b = self.r.choice(pool)
        vals, seen = {}, {}
        for key, kind in slots_of(a):
            if key in vals:
                continue
            make = getattr(self.slots, "s_" + kind)
            for _ in range(20):
                v = make()
                if v.de not in seen.setdefault(kind, []):
                    break
            seen[kind].append(v.de)
            vals[key] = v
        picks = {k: self.r.randrange(n) for k, n in choices_of(a).items()}
        de, en = self.pieces(a, vals, picks, 0), self.pieces(b, vals, picks, 1)
        if capital or de[0][0][:1].isupper():
            de, en = self.capital(de), self.capital(en)
        return de, en

    def line(self):
        r = self.r
        k = r.random()
        if k < .10:
            de, en = self.frame(self.bare, capital=r.random() < .5)
            whole, bare = False, True
        else:
            de, en = self.frame(self.frames)
            bare = False
            whole = de[-1][0][-1:] in ".!?" and de[0][0][:1].isalpha()
        if whole:
            de, en = self.dress(de, en)
        return self.finish(de, en, bare)

    def dress(self, de, en):
        """Add, at times, more sentences, list marks, speakers, emoji, quotation marks."""
        r = self.r
        k = r.random()
        text = "".join(t for t, _ in de)

        def put(a, b, c="", d=""):
            return [(a, None)] + de + [(c, None)], [(b, None)] + en + [(d, None)]

        if k < .05:
            a, b = r.choice(self.lead)
            return put(a + " ", b + " ")
        if k < .085:
            a, b = r.choice(self.tail)
            return put("", "", " " + a, " " + b)
        if k < .115:
            d2, e2 = self.frame(self.frames)
            if d2[-1][0][-1:] in ".!?" and d2[0][0][:1].isalpha():
                return de + [(" ", None)] + d2, en + [(" ", None)] + e2
        elif k < .13:
            m = r.choice(("- ", "– ", "• ", "* ", "→ ", "— "))
            return put(m, m)
        elif k < .14:
            m = r.choice(("1. ", "2. ", "3. ", "a) ", "b) ", "(1) ", "(2) ", "I. ", "II. "))
            return put(m, m)
        elif k < .155:
            v = r.choice((self.slots.s_P, self.slots.s_V, self.slots.s_Hn))()
            return [(v.de, v), (": ", None)] + de, [(v.en, v), (": ", None)] + en
        elif k < .17:
            e = self.slots.s_emo()
            return de + [(" ", None), (e.de, e)], en + [(" ", None), (e.en, e)]
        elif k < .178:
            e = self.slots.s_emo()
            return [(e.de, e), (" ", None)] + de, [(e.en, e), (" ", None)] + en
        elif k < .19 and "«" not in text and '"' not in text:
            return put("«", '"', "»", '"')
        elif k < .198:
            return put("(", "(", ")", ")")
        elif k < .208:
            h = self.slots.s_htag()
            return de + [(" ", None), (h.de, h)], en + [(" ", None), (h.en, h)]
        return de, en

    def finish(self, de, en, bare):
        """Casing, spacing and quotation marks; gives the two strings."""
        r = self.r
        kept = any(v is not None and v.keep for _, v in de)
        safe = all(v is None or v.keep or (v.safe and "µ" not in v.de) for _, v in de)
        k = r.random()
        if safe and k < .142:
            de = [(t if v is not None and v.keep else t.upper(), v) for t, v in de]
            en = self.capital(en)
        elif safe and not bare and .142 <= k < .172:
            de = [(t if v is not None and v.keep else t.lower(), v) for t, v in de]
        g, e = "".join(t for t, _ in de), "".join(t for t, _ in en)

        # "am 3.5.." -> "am 3.5.", "p.m.." -> "p.m."
        g, e = (re.sub(r"(?<!\.)\.\.(?!\.)", ".", s) for s in (g, e))
        e = re.sub(r"\.\.\.\.", "...", e)
        if r.random() < .35:
            for a, b in TIGHT:
                g = g.replace(a, b)
        if r.random() < .03 and re.search(r"[a-zäöüß]\.$", g) and re.search(r"[a-zà-ÿ]\.$", e) and not re.search(r"(a\.m|p\.m|etc|Chr|usw)\.$", g + e):
            g, e = g[:-1], e[:-1]
        if .172 <= k < .19 and not kept:
            g = re.sub(r"(?<=[^\W\d_]{2}[,.!?;:]) (?=[^\W\d_])", lambda m: "" if r.random() < .7 else " ", g)
        elif .19 <= k < .21:
            gaps = [m.start() for m in re.finditer(" ", g)]
            for at in sorted(r.sample(gaps, min(len(gaps), r.randint(1, 2))), reverse=True):
                g = g[:at] + " " + g[at:]
        q = r.choice(QUOTES)
        g = re.sub("«", "\0", g)
        g = g.replace("»", q[1]).replace("\0", q[0])
        for x, y in (("\ue001", "»"), ("\ue002", "«"), ("⟦", "["), ("⟧", "]")):
            g, e = g.replace(x, y), e.replace(x, y)
        return g, e


def generate(n, seed):
    """Yield n pairs; no German text occurs twice."""
    w = Writer(seed)
    seen = set()
    while len(seen) < n:
        g, e = w.line()
        if g in seen:
            continue
        seen.add(g)
        yield g, e


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out = sys.stdout
    out.reconfigure(encoding="utf-8", newline="\n")
    for g, e in generate(int(sys.argv[1]), int(sys.argv[2])):
        out.write(g + "\t" + e + "\n")


if __name__ == "__main__":
    main()
