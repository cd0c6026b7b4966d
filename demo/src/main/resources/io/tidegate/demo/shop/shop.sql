-- The shop: four tables with varied types.
create schema shop;

create type shop.order_status as enum ('placed', 'paid', 'packed', 'sent', 'returned');

create table shop.customers (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    email text,
    tags text[] not null default '{}',
    active boolean not null default true,
    birthday date,
    preferences jsonb,
    picture bytea,
    registered_at timestamptz not null default clock_timestamp()
);

create table shop.products (
    sku text primary key,
    name text not null,
    price numeric(12, 2) not null,
    weight double precision,
    stock integer[] not null,
    attributes jsonb,
    listed date not null default current_date,
    -- Stored apart from the row, so that an update of another column does not log it.
    description text not null
);
alter table shop.products alter column description set storage external;

create table shop.orders (
    id bigint primary key,
    customer_id uuid not null,
    status shop.order_status not null,
    total numeric(14, 2),
    placed_at timestamptz not null default clock_timestamp(),
    deliver_within interval,
    address inet,
    note text
);
-- The log then has the whole old row, and the screen shows what a status was before.
alter table shop.orders replica identity full;

create table shop.order_items (
    order_id bigint not null references shop.orders,
    line smallint not null,
    sku text not null,
    quantity integer not null,
    price numeric(12, 2) not null,
    gift boolean not null default false,
    primary key (order_id, line)
);

create sequence shop.order_numbers;
create sequence shop.labels start 1000;

create function shop.long_text(seed text) returns text language sql volatile as
    'select seed || '' – '' || string_agg(md5(seed || n || random()), '' '') from generate_series(1, 90) n';

insert into shop.customers (name, email, tags, active, birthday, preferences, picture)
select (array['Ada Лавлейс', '王小明', 'Zoë Müller', 'أمينة', 'O''Brien "Bob"', '🦊 Fox'])[1 + n % 6] || ' ' || n,
       case when n % 7 > 0 then 'c' || n || '@example.com' end,
       (array['{}', '{new}', '{"vip","a, b"}', '{NULL,"{x}"}'])[1 + n % 4]::text[],
       n % 10 > 0,
       date '1950-02-28' + n * 37,
       case when n % 5 > 0 then jsonb_build_object('lang', 'de', 'limit', n * 1.50, 'nested', jsonb_build_array(n, null)) end,
       case when n % 3 = 0 then decode(md5(n::text), 'hex') end
from generate_series(1, 400) n;

insert into shop.products (sku, name, price, weight, stock, attributes, description)
select 'P' || n || '-' || nextval('shop.labels'),
       (array['Tee – grün', 'Кофе', '茶', 'Café ☕'])[1 + n % 4],
       n * 1.10,
       case n % 9 when 0 then 'NaN' when 1 then null else n / 3.0 end,
       array[n, n * 2],
       jsonb_build_object('colour', 'rot', 'sizes', jsonb_build_array('S', 'M')),
       shop.long_text('Product ' || n)
from generate_series(1, 80) n;

insert into shop.orders (id, customer_id, status, total, deliver_within, address, note)
select nextval('shop.order_numbers'),
       c.id,
       (enum_range(null::shop.order_status))[1 + n % 4],
       n * 9.99,
       make_interval(days => n % 5, hours => 12),
       ('10.0.0.' || n % 250)::inet,
       case when n % 4 = 0 then E'leave at the door\nring "twice"\t☎' end
from generate_series(1, 900) n
join (select id, row_number() over (order by id) as at from shop.customers) c on c.at = 1 + n % 400;

insert into shop.order_items (order_id, line, sku, quantity, price, gift)
select o.id, line, p.sku, line, p.price, line = 2
from shop.orders o
cross join generate_series(1, 2) line
join (select sku, price, row_number() over (order by sku) as at from shop.products) p on p.at = 1 + (o.id + line) % 80;

-- The ledger: what each transaction changed, written in the same transaction. It is no table of the pipeline. Its triggers
-- come last, so that it holds nothing of the rows above.
create schema ledger;

create table ledger.changes (
    seq bigint generated always as identity primary key,
    tx xid8 not null default pg_current_xact_id(),
    op text not null,
    table_name text not null,
    row_key text not null
);

create function ledger.note() returns trigger language plpgsql as $$
declare
    image jsonb;
begin
    if tg_op = 'DELETE' then
        image := to_jsonb(old);
    else
        image := to_jsonb(new);
    end if;
    insert into ledger.changes (op, table_name, row_key)
    values (case tg_op when 'INSERT' then 'c' when 'UPDATE' then 'u' else 'd' end,
            tg_table_name,
            concat_ws('/', image ->> tg_argv[0], image ->> tg_argv[1]));
    return null;
end
$$;

create trigger ledger after insert or update or delete on shop.customers
    for each row execute function ledger.note('id');
create trigger ledger after insert or update or delete on shop.products
    for each row execute function ledger.note('sku');
create trigger ledger after insert or update or delete on shop.orders
    for each row execute function ledger.note('id');
create trigger ledger after insert or update or delete on shop.order_items
    for each row execute function ledger.note('order_id', 'line');
