"""Data to try the measures on: two real data sets, published tables, synthetic people.

Everything here works offline. For larger public data sets use the fetchers of
fairlearn (``fairlearn.datasets.fetch_adult``, ``fetch_acs_income``,
``fetch_bank_marketing``, ``fetch_credit_card``, ``fetch_diabetes_hospital``) and of
AIF360 (``aif360.sklearn.datasets.fetch_adult``, ``fetch_bank``, ``fetch_compas``,
``fetch_german``, ``fetch_lawschool_gpa``): their frames go into the measures as they
are.
"""

from ._published import PUBLISHED, load_published
from ._real_people import load_compas, load_ricci
from ._synthetic import make_outcomes

__all__ = ["PUBLISHED", "load_compas", "load_published", "load_ricci", "make_outcomes"]
