"""What is said in the alignment benchmark: written for it, in no synthesizer's training text."""

ENGLISH = (
    "The harbour was quiet when the ferry came in, and only two gulls noticed.",
    "She had promised to write every week; by the third month the letters were a page, and then a line.",
    "He lifted the lid, looked inside, and laughed.",
    (
        "Nobody in the village could say when the bridge had been built. It had always been there, "
        "they said, like the river itself, and nobody had ever asked who paid for it."
    ),
    "Rain again.",
    "To understand a clock, take it apart; to understand time, put it together again.",
    "The kitchen smelled of bread, wet wool and oranges.",
    "Are you certain? she asked, and when he did not answer she asked again, more slowly this time.",
    "A good map leaves things out. A very good one leaves out exactly what you will not need.",
    (
        "They walked for six hours along the ridge before the clouds opened and showed them the whole "
        "valley, green and gold, with the road they should have taken shining far below."
    ),
    "His brother, who had never been on a horse in his life, rode away without looking back.",
    "Please keep the engine running while I find the key.",
    "Through the thin wall came music, then an argument, then music once more.",
    "The experiment failed twice. On the third attempt the glass turned blue, and the professor sat down.",
    "Whoever owns the well owns the street, my grandmother used to say.",
    "It was the kind of evening on which people open their windows and pretend not to listen.",
    "The teacher wrote one word on the board and waited until everybody had stopped talking.",
    "Seven sailors slept beneath the stairs, sharing a single striped blanket.",
    "What remained was mostly salt, string, and a photograph of somebody else's house.",
    (
        "Cold winds from the north kept the boats in port, so the fishermen mended nets and told "
        "old stories, each a little larger than the last, until the lamp went out."
    ),
    "We measured the field again and found it had grown by a yard.",
    "Everything he knew about patience he had learned from a broken lock.",
    "The train stopped between two stations, and for a while nobody spoke at all.",
    "Because the library closed early on Fridays, she read standing up, near the door, with her coat on.",
)
TRICKY = (
    "On 3 May 1984 the ticket cost $3.50, and 1,984 people bought one.",
    "Dr. Smith lives at 221 Baker St., about 5 km from here.",
    "The well-known, twenty-year-old mother-in-law didn't know they'd've come.",
    "Roughly 45% of 12,600 voters said “no”, 38% said 'yes' & the rest stayed home.",
    "See page 17, § 4: the BBC and NASA don't agree with the U.S. Senate.",
    "Version 2.0 was released at 10:30 a.m. – two days late – by Mr. Jones & Co.",
    "It's 7.5 times larger than 1/2 of the old one, isn't it?",
    "Chapter XIV covers the years 1914–1918 (and a little of 1919).",
)
OTHERS = {
    "it": (
        "Il porto era tranquillo quando arrivò il traghetto, e solo due gabbiani se ne accorsero.",
        "Aveva promesso di scrivere ogni settimana; dopo tre mesi le lettere erano diventate una riga sola.",
        "Nessuno nel villaggio sapeva dire quando era stato costruito il ponte.",
        "La cucina profumava di pane, di lana bagnata e di arance.",
        "Camminarono per sei ore lungo la cresta prima che le nuvole si aprissero sulla valle.",
        "Il maestro scrisse una parola alla lavagna e aspettò che tutti tacessero.",
    ),
    "cs": (
        "Přístav byl tichý, když připlul trajekt, a všimli si ho jen dva racci.",
        "Slíbila, že bude psát každý týden; po třech měsících z dopisů zbyla jediná řádka.",
        "Nikdo ve vesnici nevěděl, kdy byl most postaven.",
        "Kuchyně voněla chlebem, mokrou vlnou a pomeranči.",
        "Šli šest hodin po hřebeni, než se mraky rozestoupily a ukázaly celé údolí.",
        "Učitel napsal na tabuli jedno slovo a čekal, až všichni ztichnou.",
    ),
    "fi": (
        "Satama oli hiljainen, kun lautta saapui, ja vain kaksi lokkia huomasi sen.",
        "Hän oli luvannut kirjoittaa joka viikko; kolmen kuukauden kuluttua jäljellä oli yksi rivi.",
        "Kukaan kylässä ei tiennyt, milloin silta oli rakennettu.",
        "Keittiö tuoksui leivältä, märältä villalta ja appelsiineilta.",
        "He kävelivät kuusi tuntia harjannetta pitkin ennen kuin pilvet aukenivat.",
        "Opettaja kirjoitti taululle yhden sanan ja odotti, kunnes kaikki vaikenivat.",
    ),
    "ru": (
        "Гавань была тихой, когда пришёл паром, и только две чайки заметили это.",
        "Она обещала писать каждую неделю; через три месяца письма стали одной строкой.",
        "Никто в деревне не мог сказать, когда построили мост.",
        "На кухне пахло хлебом, мокрой шерстью и апельсинами.",
        "Они шли шесть часов по хребту, прежде чем облака открыли всю долину.",
        "Учитель написал на доске одно слово и подождал, пока все замолчат.",
    ),
    "ca": (
        "El port era tranquil quan va arribar el transbordador, i només dues gavines ho van notar.",
        "Havia promès escriure cada setmana; al cap de tres mesos les cartes eren una sola ratlla.",
        "Ningú del poble no sabia dir quan havien construït el pont.",
        "La cuina feia olor de pa, de llana mullada i de taronges.",
        "Van caminar sis hores per la carena abans que els núvols s'obrissin sobre la vall.",
        "El mestre va escriure una paraula a la pissarra i va esperar que tothom callés.",
    ),
}
