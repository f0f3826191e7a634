/** Words the fixtures are put together from; the names are meant to be hard on careless code. */

export const firstNames = words(`
	Ada, Amélie, Björn, Chiamaka, Dmitri, Élodie, Fatima, Giorgos, Hana, Ibrahim, Jean-Luc, José,
	Kwame, Łukasz, Mary Ann, Mateo, Ngọc, Oluwaseun, Priya, Quentin, Renée, Siobhán, Søren, Tomás,
	Ulrike, Vân, Wilhelmina, Xavier, Yusuf, Zoë, 伟, Андрей, Γιώργος, さくら
`);

export const lastNames = words(`
	Abernathy, Ångström, Brontë, Castellanos, D'Angelo, de la Cruz, Eriksen, Fußgänger,
	García Márquez, Håkansson, Ivanova, Jørgensen, Kierkegård, Lefèvre, MacIntyre,
	Müller-Lüdenscheid, Nuñez, O'Neil, Okafor, Papadopoulos, Quispe, Rasmussen, Şahin, Smith, St. John,
	Tanaka, Ulloa, van der Berg, Wójcik, Xu, Yılmaz, Žižek, 王, Иванов
`);

export const companyNames = words(`
	Northwind Traders, Blue Harbour Foods, Cobalt Analytics, Driftwood Furniture, Evergreen Energy,
	Fjord Shipping, Granite Construction, Halcyon Health, Ironbridge Steel, Juniper Textiles,
	Kestrel Aviation, Lighthouse Insurance, Meridian Logistics, Nimbus Software, Orchard Publishing,
	Pinecrest Hotels, Quarry Street Capital, Redwood Robotics, Silverline Telecom,
	Tidewater Fisheries, Umbra Optics, Vertex Pharmaceuticals of the North, Willow & Sons,
	Xenon Lighting, Yellowstone Outfitters, Zephyr Wind Power, Amber Road Museums, Brass Key Locks,
	Cinder Ceramics, Delta Dairy, Elm Street Schools, Foxglove Cosmetics, Golden Gate Vineyards,
	Hazel Law, Indigo Paints, Jade Mountain Tea, Kingfisher Boats, Larkspur Events,
	Maple Leaf Bakeries, Nordlicht Verlag, Opal Jewellers, Pepper Lane Catering, Quill & Ink,
	Rosewood Instruments
`);

export const titles = words(`
	Sales Manager, Head of Growth Marketing, Chief Technology Officer, Account Executive,
	Regional Sales Director, Software Engineer, Marketing Manager, Human Resources Partner,
	Finance Director, Customer Success Lead
`);

export const industries = words(`
	Logistics, Software, Food & Beverages, Manufacturing, Health Care, Retail
`);

export const specialties = words(`
	import, wholesale, cold chain, B2B, analytics, consulting, e-commerce
`);

export const places = [
	{ city: 'Kraków', country: 'Poland', area: 'Lesser Poland', postalCode: '31-042' },
	{ city: 'San José', country: 'Costa Rica', area: 'San José', postalCode: '10101' },
	{ city: 'Kyoto', country: 'Japan', area: 'Kansai', postalCode: '600-8216' },
	{ city: 'Nairobi', country: 'Kenya', area: 'Nairobi', postalCode: '00100' },
	{ city: 'Bristol', country: 'United Kingdom', area: 'South West England', postalCode: 'BS1 4DJ' },
	{ city: 'Austin', country: 'United States', area: 'Texas', postalCode: '73301' },
];

/** What stands between the commas. */
function words(text: string): string[] {
	return text.split(',').map((word) => word.trim());
}
